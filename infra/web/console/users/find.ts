import { client } from '../api/client.ts';
import { readSearched } from '../own-fields.ts';

const ID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/i;

/** Returns the first id in a text, such as of a ticket or a link. */
export const findId = (text: string): string | undefined => ID.exec(text)?.[0].toLowerCase();

/** The API decides what an address is: this only tells what is worth a request. */
export const isAddress = (text: string): boolean => /^\S+@\S+\.\S+$/.test(text.trim());

/** Returns the user who has the value of a unique field. */
export const findByValue = (field: string, value: string) => client.users.find({ [field]: readSearched(field, value) });

export const findOwner = async (address: string): Promise<string | undefined> =>
  (await findByValue('email', address))?.id;
