/** The client takes changes more slowly than they come, or than the memory allows: its stream ends, and it resumes with its last cursor. */
export class SlowClient extends Error {}
