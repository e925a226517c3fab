const WIDTH = 30;

/** Shows a bar on a terminal's last line, and nothing if errors go elsewhere. Ends its line when it is full. */
export function progressBar(label: string, of: number): (done: number) => void {
  if (!process.stderr.isTTY) return () => {};
  let shown = '';
  return (done) => {
    const part = of === 0 ? 1 : Math.min(1, done / of);
    const line = `${label} ${formatBar(part)}`;
    if (line !== shown) process.stderr.write(`\r${line}${part === 1 ? '\n' : ''}`);
    shown = line;
  };
}

/** `part` is from 0 to 1. */
export function formatBar(part: number): string {
  const filled = Math.round(part * WIDTH);
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${Math.floor(part * 100)} %`;
}
