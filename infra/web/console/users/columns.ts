import * as z from 'zod/mini';
import type { OwnField } from '../../../../lib/users/fields/declaration.ts';
import { labelMember, ownFields } from '../own-fields.ts';
import { parseJson, useStored } from '../store.ts';

export type Column = {
  name: string;
  label: string;
  /** In rem. */
  width: number;
  /** On narrower screens, the values are below the names. */
  visibleFrom: 'sm' | 'xl';
  field?: OwnField;
};

type Choice = { name: string; isShown: boolean };

export const storedChoices = z.array(z.object({ name: z.string(), isShown: z.boolean() }));

const SERVICE_COLUMNS: Column[] = [
  { name: 'createdAt', label: 'Created', width: 8.5, visibleFrom: 'sm' },
  { name: 'updatedAt', label: 'Updated', width: 9, visibleFrom: 'sm' },
  { name: 'version', label: 'Version', width: 6, visibleFrom: 'sm' },
  { name: 'id', label: 'Id', width: 21, visibleFrom: 'xl' },
];

/** Visible by default, besides the first own fields. */
const SHOWN = ['createdAt', 'id'];
const SHOWN_FIELDS = 2;

const toColumn = (field: OwnField): Column => ({
  name: field.name,
  label: labelMember(field.name),
  width: 9,
  visibleFrom: 'sm',
  field,
});

/** Fields that block people come first, then the last sign-in. Logins come last. */
const listFields = (): OwnField[] => {
  const rank = ({ blocks, signIn, subject }: OwnField) => (blocks ? 0 : signIn ? 1 : subject ? 3 : 2);
  return ownFields.get().toSorted((one, other) => rank(one) - rank(other));
};

/** Adds fields that were declared after the choice was stored, before the columns that every service has. */
function completeChoices(stored: Choice[]): (Column & Choice)[] {
  const fields = listFields();
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

/** An empty choice restores the default. */
export function useColumns() {
  const [stored, setChoices] = useStored<Choice[]>(
    'columns',
    [],
    (stored) => storedChoices.safeParse(parseJson(stored)).data ?? [],
  );
  const choose = (choices: Choice[]) => setChoices(choices.map(({ name, isShown }) => ({ name, isShown })));
  return { columns: completeChoices(stored), choose };
}

export const useShownColumns = (): Column[] => useColumns().columns.filter(({ isShown }) => isShown);

export const useDensity = () => useStored<'comfortable' | 'compact'>('density', 'comfortable');
