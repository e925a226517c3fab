import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A rejected request. `code` is the API's own error code, such as `ResourceNotFoundException`. */
export class AwsError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Uses the AWS CLI, which knows every kind of credentials. */
export async function aws<Answer = object>(...args: string[]): Promise<Answer> {
  return JSON.parse((await run([...args, '--output', 'json'])) || '{}');
}

/** The default of the CDK CLI. */
const DEFAULT_REGION = 'us-east-1';

/** Returns the region that the CDK CLI uses. */
export async function findRegion({ AWS_REGION, AWS_DEFAULT_REGION } = process.env): Promise<string> {
  // Fails without a configured region.
  return (
    AWS_REGION || AWS_DEFAULT_REGION || (await run(['configure', 'get', 'region']).catch(() => '')) || DEFAULT_REGION
  );
}

async function run(args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('aws', args, { maxBuffer: 64 * 1024 * 1024 }).catch((error) => {
    if (error.code === 'ENOENT') throw new Error('The command aws was not found: install the AWS CLI');
    const [, code, message] = /An error occurred \((\w+)\)[^:]*: (.*)/s.exec(error.stderr ?? '') ?? [];
    throw code === undefined
      ? new Error(error.stderr?.trim().split('\n').at(-1) || error.message)
      : new AwsError(code, message?.trim() ?? code);
  });
  return stdout.trim();
}
