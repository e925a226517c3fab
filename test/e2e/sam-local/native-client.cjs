// Stands in for the compiled part of the runtime client, which posts results to the Runtime API.
const { request } = require('node:http');

function post(path, body) {
  const url = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation/${path}`;
  request(url, { method: 'POST', headers: { 'content-type': 'application/json' } }).end(body);
}

module.exports = {
  done: (id, body) => post(`${id}/response`, body),
  error: (id, body) => post(`${id}/error`, body),
};
