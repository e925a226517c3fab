import { client } from '../api/client.ts';
import { readSearched } from '../own-fields.ts';

/** Avoids pointless requests. The API validates. */
export const isAddress = (text: string): boolean => /^\S+@\S+\.\S+$/.test(text.trim());

export const findByValue = (field: string, value: string) => client.users.find({ [field]: readSearched(field, value) });

export const findOwner = async (address: string): Promise<string | undefined> =>
  (await findByValue('email', address))?.id;
