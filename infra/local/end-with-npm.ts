/** npm that is killed tells its script nothing: the service would keep its port for ever. */
export function endWithNpm(end: () => void): void {
  if (!process.env.npm_lifecycle_event) return;
  const { ppid: npm } = process;
  setInterval(() => process.ppid === npm || end(), 1000).unref();
}
