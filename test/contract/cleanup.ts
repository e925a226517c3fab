import { afterAll } from 'vitest';
import { deleteCreatedUsers } from './client.ts';

afterAll(deleteCreatedUsers);
