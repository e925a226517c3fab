import { client } from '../api/client.ts';
import { readSearched } from '../own-fields.ts';

/** The API decides what an address is: this only tells what is worth a request. */
export const isAddress = (text: string): boolean => /^\S+@\S+\.\S+$/.test(text.trim());

/** Returns the user who has the value of a unique field. */
export const findByValue = (field: string, value: string) => client.users.find({ [field]: readSearched(field, value) });

export const findOwner = async (address: string): Promise<string | undefined> =>
  (await findByValue('email', address))?.id;
