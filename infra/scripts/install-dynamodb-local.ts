import { spawnSync } from 'node:child_process';
import { findDynoxide } from '../local/database/engine.ts';

// DynamoDB Local (58 MB) is only for platforms that Dynoxide does not support.
const { npm_execpath: npm = '' } = process.env;
if (!findDynoxide({ host: '127.0.0.1', port: 0 })) {
  const { status } = spawnSync(process.execPath, [npm, 'run', 'install:dynamodb-local'], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
