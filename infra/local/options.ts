import { parseArgs } from 'node:util';
import * as z from 'zod';

const USAGE = `npm start -- [--port 3000] [--host 127.0.0.1] [--data DIR | --memory]`;

const options = z.object({
  port: z.coerce.number('--port takes a number').int().min(0).max(65535, '--port takes a number up to 65535'),
  host: z.string().min(1, '--host takes a name or an address'),
  data: z.string().min(1, '--data takes a folder'),
  memory: z.boolean(),
});

export type Options = z.infer<typeof options>;

/** Throws an error of one line, which says what is wrong and how it is used. */
export function readOptions(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        port: { type: 'string', default: '3000' },
        host: { type: 'string', default: '127.0.0.1' },
        data: { type: 'string', default: '.data' },
        memory: { type: 'boolean', default: false },
      },
    });
    return options.parse(values);
  } catch (error) {
    const reason = error instanceof z.ZodError ? error.issues[0]?.message : (error as Error).message.split('. ')[0];
    throw new Error(`${reason}. Usage: ${USAGE}`);
  }
}
