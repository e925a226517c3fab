import type { Service } from './service/service.ts';

const CHECKPOINTS = 20;
/** Measurements that count as the start of the growth, because compiled code and caches grow at first. */
const WARM_UP_CHECKPOINTS = 4;
const MAX_GROWTH_MB = 40;
/** The functions' memory limit. */
const MAX_PROCESS_MB = 1024;

const MB = 1024 * 1024;

export function createMemoryCheck(service: Pick<Service, 'readUsage' | 'readUsageWithoutGarbage'>, requests: number) {
  const heaps: number[] = [];
  let maxProcess = 0;
  const measure = async () => {
    const { memory } = await service.readUsageWithoutGarbage();
    heaps.push(memory / MB);
  };
  /** The minimum of three measurements varies less than a single one. */
  const settled = (measured: number[]) => Math.min(...measured.slice(-3));
  const growth = () => settled(heaps) - settled(heaps.slice(0, WARM_UP_CHECKPOINTS));
  return {
    /** Returns the exceeded limits. */
    async check(sent: number): Promise<string[]> {
      const { peak } = await service.readUsage();
      const isLarger = peak / MB > maxProcess;
      maxProcess = Math.max(maxProcess, peak / MB);
      if (isLarger && maxProcess > MAX_PROCESS_MB)
        return [`the process took ${format(maxProcess)}, more than ${MAX_PROCESS_MB} MB`];
      if (sent < ((heaps.length + 1) * requests) / CHECKPOINTS) return [];
      await measure();
      return [
        growth() > MAX_GROWTH_MB && `the memory grew by ${format(growth())}: ${heaps.map(format).join(', ')}`,
      ].filter((problem) => problem !== false);
    },
    async report(): Promise<string> {
      await measure();
      return `${format(settled(heaps))} after garbage collection (grown by ${format(growth())}), process at most ${format(maxProcess)}`;
    },
  };
}

const format = (megabytes: number) => `${megabytes.toFixed(1)} MB`;
