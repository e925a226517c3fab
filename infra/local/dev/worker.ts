import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/engine.ts';
import type { Options } from '../options.ts';
import type { ServedRequest } from '../served-request.ts';

export type WorkerMessage = {
  options: Options;
  database: Omit<Database, 'stop'> | undefined;
  issuer: string | undefined;
  checkpointFolder: string;
  pageSources: string;
  isFirst: boolean;
};

// Loads only packages, because the service's own modules may still change.
await Promise.all([
  import('@apollo/server'),
  import('@as-integrations/aws-lambda'),
  import('@aws-sdk/client-dynamodb-streams'),
  import('@aws-sdk/lib-dynamodb'),
  import('@escape.tech/graphql-armor-max-aliases'),
  import('@escape.tech/graphql-armor-max-depth'),
  import('@graphql-tools/schema'),
  import('@middy/core'),
  import('aws-jwt-verify'),
  import('dataloader'),
  import('graphql-query-complexity'),
  import('graphql-scalars'),
  import('jose'),
  import('uuid'),
  import('zod'),
  import('zod/mini'),
]);

process.on('message', (message: WorkerMessage | 'stop') => {
  if (message !== 'stop') void serve(message);
});

/** Ctrl-C sends SIGINT to all processes of the terminal, but the main process ends its workers. */
process.on('SIGINT', () => {});

async function serve(message: WorkerMessage): Promise<void> {
  const { options, database, issuer, checkpointFolder, pageSources, isFirst } = message;
  try {
    const start = performance.now();
    // Modules are imported only now, so that saved changes apply.
    (await import('../../own-fields/provide.ts')).provideOwnFields(options.fields);
    const settings = (await import('../settings.ts')).provideSettings(options);
    const { createBanner, startService } = await import('../service.ts');
    const { setUpLogs } = await import('../logs.ts');
    const { createSourceFiles } = await import('./page-sources.ts');
    let log = (_: ServedRequest) => {};
    const service = await startService(options, {
      database: database && { ...database, stop: async () => {} },
      issuer,
      isPrepared: !isFirst,
      settings,
      checkpointFolder,
      files: createSourceFiles(pageSources),
      onResponse: (served) => log(served),
    });
    const end = async () => {
      await Promise.race([service.stop(), sleep(3_000)]);
      process.exit(0);
    };
    process.once('SIGTERM', end).on('message', (message) => message === 'stop' && end());
    if (isFirst) console.log(createBanner(service, performance.now() - start));
    log = setUpLogs();
    process.send?.('ready');
  } catch (error) {
    const { name, message: text, stack } = error as Error;
    // After a reload, the stack locates the error in the saved code.
    const reason = isFirst || name === 'FieldsError' || name === 'SettingError' ? text : stack;
    console.error(`Not started: ${reason}`);
    process.exit(1);
  }
}
