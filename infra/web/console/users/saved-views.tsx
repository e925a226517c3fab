import { Button, CloseButton, Group, Text, TextInput } from '@mantine/core';
import { type FormEvent, useRef } from 'react';
import * as z from 'zod/mini';
import { sharedStorage } from '../auth/page-storage.ts';
import { useRestoredFocus } from '../focus.ts';
import { type Route, showList, useRoute } from '../route.ts';
import { parseJson, useStored } from '../store.ts';
import { storedChoices, useColumns } from './columns.ts';
import { findConditions, isTyped } from './filter.ts';

const storedViews = z.array(
  z.object({
    name: z.string(),
    filter: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    sort: z.optional(z.string()),
    order: z.enum(['asc', 'desc']),
    columns: storedChoices,
  }),
);

type View = z.infer<typeof storedViews>[number];

const MAX_NAME_LENGTH = 40;
const KEY = 'views';

const parseViews = (stored: string | null | undefined): View[] => storedViews.safeParse(parseJson(stored)).data ?? [];

/** Called at sign-out: typed filter values can be personal data. Keeps views that filter by choices or times. */
export function forgetTypedViews(): void {
  const kept = parseViews(sharedStorage.getItem(KEY)).filter(({ filter }) => !Object.keys(filter).some(isTyped));
  sharedStorage.setItem(KEY, JSON.stringify(kept));
}

export function useSavedViews() {
  const [views, setViews] = useStored<View[]>(KEY, [], parseViews);
  const { choose } = useColumns();
  const show = ({ filter, sort, order, columns }: View) => {
    showList({ q: '', filter, sort, order });
    choose(columns);
  };
  return { views, setViews, show };
}

export function SavedViews({ onShow }: { onShow: () => void }) {
  const route = useRoute();
  const { views, setViews, show } = useSavedViews();
  const { columns } = useColumns();
  const field = useRef<HTMLInputElement>(null);
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = field.current?.value.trim();
    if (!name) return;
    const chosen = columns.map(({ name, isShown }) => ({ name, isShown }));
    setViews([...views.filter((view) => view.name !== name), { name, ...readList(route), columns: chosen }]);
    onShow();
  };
  return (
    <section aria-label="Saved views">
      <Text size="sm" fw={600} mb={4}>
        Saved views
      </Text>
      {views.map((view) => (
        <Group key={view.name} gap={4} wrap="nowrap">
          <Button
            flex={1}
            miw={0}
            size="compact-sm"
            variant="subtle"
            justify="start"
            onClick={() => {
              show(view);
              onShow();
            }}
          >
            {view.name}
          </Button>
          <DeleteButton
            name={view.name}
            field={field}
            onClick={() => setViews(views.filter(({ name }) => name !== view.name))}
          />
        </Group>
      ))}
      <form onSubmit={save}>
        <Group gap={6} wrap="nowrap" mb="sm" mt={4}>
          <TextInput
            ref={field}
            flex={1}
            size="xs"
            aria-label="Name of this view"
            placeholder="Name of this view"
            maxLength={MAX_NAME_LENGTH}
            autoComplete="off"
            required
          />
          <Button type="submit" size="xs" variant="default">
            Save
          </Button>
        </Group>
      </form>
    </section>
  );
}

type DeleteProps = { name: string; field: { readonly current: HTMLElement | null }; onClick: () => void };

function DeleteButton({ name, field, onClick }: DeleteProps) {
  useRestoredFocus(field);
  return <CloseButton size="sm" aria-label={`Delete the view ${name}`} onClick={onClick} />;
}

function readList(route: Route): Pick<View, 'filter' | 'sort' | 'order'> {
  const { filter = {}, sort } = findConditions(route) ?? {};
  return { filter, order: route.order, ...(sort ? { sort } : {}) };
}
