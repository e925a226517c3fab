const { createHash, createHmac } = require('node:crypto');

/** A lower bound: no SDK, retries, time limits or error types. */
exports.handler = async ({ pathParameters: { id } }) => {
  const input = {
    TableName: process.env.TABLE_NAME,
    Key: { pk: { S: `USER#${id}` }, sk: { S: 'USER' } },
    ConsistentRead: true,
  };
  const { Item } = await post(JSON.stringify(input));
  const body = JSON.stringify({ id, name: Item.name.S, email: Item.email.S });
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body };
};

const hash = (text) => createHash('sha256').update(text).digest('hex');
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();

function sign({ host }, body, target, time) {
  const {
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_SESSION_TOKEN: token,
    AWS_REGION: region,
  } = process.env;
  const headers = { host, 'x-amz-date': time, 'x-amz-security-token': token, 'x-amz-target': target };
  const names = Object.keys(headers).sort();
  const canonical = names.map((name) => `${name}:${headers[name]}\n`).join('');
  const signed = names.join(';');
  const scope = `${time.slice(0, 8)}/${region}/dynamodb/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash(`POST\n/\n\n${canonical}\n${signed}\n${hash(body)}`)}`;
  const key = scope.split('/').reduce(hmac, `AWS4${secret}`);
  const signature = hmac(key, text).toString('hex');
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

async function post(body) {
  const url = new URL(process.env.AWS_ENDPOINT_URL_DYNAMODB);
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const { host: _, ...signed } = sign(url, body, 'DynamoDB_20120810.GetItem', time); // fetch adds the header `host` itself.
  const headers = { ...signed, 'content-type': 'application/x-amz-json-1.0' };
  const response = await fetch(url, { method: 'POST', headers, body });
  return response.json();
}
