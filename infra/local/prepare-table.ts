import { followStream, type StreamFollower } from './change-stream.ts';
import { createTable } from './create-table.ts';
import type { Database } from './database/engine.ts';
import { findExternalDatabase, LOCAL_TABLE } from './environment.ts';
import type { Options } from './options.ts';
import { enableStream } from './switch-stream.ts';

/** Whether one has prepared the table, and where it kept the stream's checkpoints, unless in the folder of the data. */
export type EarlierProcess = { isPrepared?: boolean; checkpointFolder?: string };

/** Creates and fills the table, unless an earlier process has, and follows its changes. */
export async function prepareTable(
  options: Options,
  database: Database | undefined,
  { isPrepared, checkpointFolder }: EarlierProcess,
): Promise<StreamFollower | undefined> {
  if (!isPrepared) await fillTable(options, database);
  return followChanges(database && !options.memory ? options.data : checkpointFolder);
}

async function fillTable({ sample }: Options, database: Database | undefined): Promise<void> {
  await createTable(process.env.TABLE_NAME ?? LOCAL_TABLE).catch((error: Error) => {
    throw new Error(
      `No DynamoDB responds at ${database?.endpoint ?? findExternalDatabase()}: ${error.message || error.name}`,
    );
  });
  if (database) await (await import('../../lib/graphql/sse/stream-limit.ts')).freeAllSlots();
  if (sample !== undefined) await (await import('./sample.ts')).createSample(sample);
}

/** Connects on-change to the table's stream, as the stack does. An external database may not offer streams. */
async function followChanges(folder: string | undefined): Promise<StreamFollower | undefined> {
  const { handler } = await import('../../functions/on-change.ts');
  try {
    return await followStream(await enableStream(process.env.TABLE_NAME ?? LOCAL_TABLE), handler, { folder });
  } catch (error) {
    console.warn(
      `The table's stream cannot be read, so there are no subscriptions and no clean-up of posts: ${(error as Error).message}`,
    );
    return undefined;
  }
}
