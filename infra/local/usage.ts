export const USAGE = 'Usage: npm start -- [options]; npm start -- --help lists them';

export const HELP = `npm start -- [options]       starts the service on this machine
npm run dev -- [options]     the same, and reloads it on save
npm run start:auth           the same as npm start -- --auth

  --port NUMBER, -p          3000, or the variable PORT; 0 takes a free one
  --host NAME                127.0.0.1: only this machine can connect; 0.0.0.0 takes requests to any of its IP addresses
  --data DIR                 .data: where the embedded database keeps its data
  --memory                   keeps data in memory only
  --sample NUMBER            fills an empty database with so many believable users, and posts of them
  --cors ORIGIN              also lets pages of this origin use the APIs; those of this machine always may. Repeatable
  --auth                     requires tokens, which npm run token makes
  --issuer URL --audience A  requires tokens of that issuer for that audience
  --engine dynamodb-local    takes DynamoDB Local (Java 17 or later, npm run install:dynamodb-local), not the embedded engine
  --help, --version

AWS_ENDPOINT_URL_DYNAMODB names another DynamoDB to take, such as DynamoDB Local.`;
