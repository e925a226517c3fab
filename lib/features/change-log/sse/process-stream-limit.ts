import { environment } from '../../../environment.ts';
import type { AcquireSlot } from './stream-limit.ts';

type Slot = { caller: string; expiresAt: number };

const slots = new Set<Slot>();

/** Counts slots in memory, for web functions and the local service: they serve many streams per process. */
export const acquireProcessSlot: AcquireSlot = async (caller, { total, perCaller }, seconds) => {
  const now = environment.now();
  let own = 0;
  for (const slot of slots) {
    if (slot.expiresAt <= now) slots.delete(slot);
    else if (slot.caller === caller) own++;
  }
  if (own >= perCaller) return { exceeded: 'perCaller' };
  if (slots.size >= total) return { exceeded: 'total' };
  const slot = { caller, expiresAt: now + seconds * 1000 };
  slots.add(slot);
  return { releaseSlot: async () => void slots.delete(slot) };
};
