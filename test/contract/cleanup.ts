import { afterAll } from 'vitest';
import { deleteMade } from './client.ts';

afterAll(deleteMade);
