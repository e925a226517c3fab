import { useLocalStorage } from '@mantine/hooks';
import * as z from 'zod/mini';
import type { OwnField } from '../../../../lib/users/fields/declaration.ts';
import { labelMember, ownFields } from '../own-fields.ts';
import { parseJson } from '../store.ts';

/** A column beside those of name and address, which are always there. */
export type Column = {
  name: string;
  label: string;
  /** In rem. */
  width: number;
  /** Narrow screens show its values below the names. */
  visibleFrom: 'sm' | 'xl';
  field?: OwnField;
};

/** The person's choice, which the browser keeps: all columns in their order, and which of them are shown. */
type Choice = { name: string; isShown: boolean };

export const storedChoices = z.array(z.object({ name: z.string(), isShown: z.boolean() }));

/** No own field can have these names. */
const SERVICE_COLUMNS: Column[] = [
  { name: 'createdAt', label: 'Created', width: 8.5, visibleFrom: 'sm' },
  { name: 'updatedAt', label: 'Updated', width: 9, visibleFrom: 'sm' },
  { name: 'version', label: 'Version', width: 6, visibleFrom: 'sm' },
  { name: 'id', label: 'Id', width: 21, visibleFrom: 'xl' },
];

/** Before a person chooses, the list has room for these, and for so many own fields. */
const SHOWN = ['createdAt', 'id'];
const SHOWN_FIELDS = 2;

const toColumn = (field: OwnField): Column => ({
  name: field.name,
  label: labelMember(field.name),
  width: 9,
  visibleFrom: 'sm',
  field,
});

/** Fields that were declared since the choice come before the columns of the service; those that are not declared any more are left out. */
function completeChoices(stored: Choice[]): (Column & Choice)[] {
  const fields = ownFields.get();
  const current = fields.filter(({ deprecated }) => !deprecated).slice(0, SHOWN_FIELDS);
  const defaults = stored.length === 0 ? [...current.map(({ name }) => name), ...SHOWN] : [];
  const columns = [...fields.map(toColumn), ...SERVICE_COLUMNS];
  const known = stored.flatMap((choice) => {
    const column = columns.find(({ name }) => name === choice.name);
    return column ? [{ ...column, ...choice }] : [];
  });
  const added = columns
    .filter(({ name }) => !known.some((column) => column.name === name))
    .map((column) => ({ ...column, isShown: defaults.includes(column.name) }));
  return [...known, ...added];
}

/** Returns the columns in their order, and what changes the choice; an empty one is that of a first visit. */
export function useColumns() {
  const [stored, setChoices] = useLocalStorage<Choice[]>({
    key: 'columns',
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: (stored) => storedChoices.safeParse(parseJson(stored ?? null)).data ?? [],
  });
  const choose = (choices: Choice[]) => setChoices(choices.map(({ name, isShown }) => ({ name, isShown })));
  return { columns: completeChoices(stored), choose };
}

/** Returns the columns that the list shows, in their order. */
export const useShownColumns = (): Column[] => useColumns().columns.filter(({ isShown }) => isShown);

/** Returns how high the rows are, which the browser keeps. */
export const useDensity = () =>
  useLocalStorage<'comfortable' | 'compact'>({
    key: 'density',
    defaultValue: 'comfortable',
    getInitialValueInEffect: false,
  });
