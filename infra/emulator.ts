/**
 * What target=emulator leaves out of the stack, and why: all of it in this one place. The rehearsal uses it, so that
 * what the emulator cannot do is not weakened where AWS can.
 */
export const emulatorLacks = {
  /** Its CloudFormation makes alarms of single metrics only; those on metric math fail the deploy. */
  metricMath: true,
} as const;
