import { readFile } from 'node:fs/promises';
import { findFreePort } from '../../../infra/local/database/engine.ts';
import { findCodeBlocks } from '../../setup/markdown.ts';

/** Uses free ports and a unique container name. */
export async function readCommands() {
  const page = await readFile('infra/sam-local.md', 'utf8');
  const ports = { database: await findFreePort(), service: await findFreePort(), api: await findFreePort() };
  const name = `users-database-${ports.database}`;
  const lines = findCodeBlocks(page, 'sh')
    .join('')
    .trim()
    .replaceAll('users-database', name)
    .replace('127.0.0.1:8000:', `127.0.0.1:${ports.database}:`)
    .replace('localhost:8000', `localhost:${ports.database}`)
    .replace(/npm start$/m, `npm start -- --port ${ports.service}`)
    .replace('--port 3001', `--port ${ports.api}`)
    .replace(process.arch === 'arm64' ? ' -c architecture=x86_64' : '', '')
    .split('\n');
  const find = (words: string): string => {
    const [line, another] = lines.filter((line) => line.includes(words));
    if (line === undefined || another !== undefined)
      throw new Error(`The page has no command, or two, with "${words}"`);
    return line;
  };
  const commands = {
    runDatabase: find('docker run'),
    startService: find('npm start'),
    findDatabase: find('docker inspect'),
    synthesize: find('cdk synth'),
    createUser: find('sam local invoke create-user'),
    createUserByGraphql: find('sam local invoke graphql'),
    startApi: find('sam local start-api'),
  };
  if (Object.keys(commands).length !== lines.length) throw new Error('The page has a command that is not tested');
  return {
    ...commands,
    databaseName: name,
    databaseUrl: `http://127.0.0.1:${ports.database}`,
    serviceUrl: `http://127.0.0.1:${ports.service}`,
    apiUrl: `http://127.0.0.1:${ports.api}`,
  };
}
