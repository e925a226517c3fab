// Prints a handler's first request to DynamoDB.
import http from 'node:http';
import https from 'node:https';

const [bundle] = process.argv.slice(2);

for (const [protocol, module] of Object.entries({ http, https }))
  module.request = ({ host, port, headers }) => {
    console.log(JSON.stringify({ url: `${protocol}://${host}${port ? `:${port}` : ''}`, headers }));
    process.exit(0);
  };

const { handler } = await import(bundle);
await handler(JSON.parse(process.env.EVENT), {});
