import { deepEqual, match } from 'node:assert/strict';
import { join } from 'node:path';
import { startDatabase } from '../../../infra/local/database/start.ts';
import { createTable } from '../../../infra/local/table.ts';
import { synthesize } from '../cdk.ts';
import { CREDENTIALS, REGION } from '../environment.ts';
import { WORK_DIR } from '../run.ts';
import { installRuntimeClient } from './install.ts';
import { invokeAsSam } from './invoke.ts';

const EVENTS = join(import.meta.dirname, '../../events');

/** Runs functions from the template for `sam local` in AWS's runtime client. Both APIs must respond in one buffered JSON result. */
export async function checkSamLocal(): Promise<void> {
  const client = await installRuntimeClient();
  const database = await startDatabase();
  try {
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    });
    await createTable('users');
    const template = await synthesize(join(WORK_DIR, 'sam-local'), { databaseEndpoint: database.endpoint });
    const invoke = (name: string, event: string, extra = {}) =>
      invokeAsSam(client, template, name, join(EVENTS, event), extra);

    const rest = await invoke('create-user', 'create-user-v1.json');
    deepEqual([rest.headers['content-type'], JSON.parse(rest.body).statusCode], ['application/json', 201], rest.body);

    const graphql = await invoke('graphql', 'graphql-mutation.json');
    const { statusCode, body } = JSON.parse(graphql.body);
    deepEqual([graphql.headers['content-type'], statusCode], ['application/json', 200], graphql.body);
    match(body, /^{"data":{"createUser"/);

    // If the variable that the template sets is missing, the response is a stream, which SAM prints with its prelude.
    const streamed = await invoke('graphql', 'graphql-query.json', { AWS_LAMBDA_NODEJS_NO_GLOBAL_AWSLAMBDA: '' });
    deepEqual(streamed.headers['content-type'], 'application/vnd.awslambda.http-integration-response');
    match(streamed.body, /^{"statusCode":200,.*}\0{8}{"data":/);
  } finally {
    await database.stop();
  }
}
