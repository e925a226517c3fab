/** Matches email addresses. ARNs and callers in this run's log contain no @. */
const ADDRESS = /[^\s"\\]@[^\s"\\]/;

export function checkLog(line: string): string[] {
  return [
    ADDRESS.test(line) && `a log line has an address: ${line}`,
    /"level":"ERROR"/.test(line) && `an error was logged: ${line}`,
    /"event":"unavailable"/.test(line) && `the service counted itself as unavailable: ${line}`,
    !line.startsWith('{') && `a log line is not JSON: ${line}`,
  ].filter((problem) => problem !== false);
}
