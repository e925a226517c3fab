// Prints a handler's result, warnings and errors.
const [bundle] = process.argv.slice(2);
const logged = [];
console.info = () => {};
console.warn = console.error = (line) => logged.push(line);
const { handler } = await import(bundle);
const result = await handler(JSON.parse(process.env.EVENT), {});
console.log(JSON.stringify({ result, logged }));
process.exit(0);
