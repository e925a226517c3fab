// Replaces the native part of the runtime client.
const address = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;

/** The pending post of a result. The Runtime API repeats an event until it has the result. */
let posted;

function post(path, body) {
  posted = fetch(`${address}/${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

async function next() {
  await posted;
  const response = await fetch(`${address}/next`);
  return { bodyJson: await response.text(), headers: Object.fromEntries(response.headers) };
}

module.exports = {
  next,
  done: (id, body) => post(`${id}/response`, body),
  error: (id, body) => post(`${id}/error`, body),
};
