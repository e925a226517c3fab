import { Button, Group, Stack, TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode, SyntheticEvent } from 'react';
import type { Post } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import { findFieldError, findFormError } from '../api/errors.ts';
import { type Target, useRestoredFocus } from '../focus.ts';
import { isComposing } from '../keys.ts';
import { useChange, useIsOpen } from '../notices.tsx';
import { PendingButton } from '../pending-button.tsx';
import { createTitleDraft, describeNewPost, type TitleDraft, titleDrafts } from './drafts.ts';
import { FormError, SlowHint, Warning } from './form-messages.tsx';
import { usePostChange, usePostChanges } from './use-posts.ts';

export function NewPost({ authorId }: { authorId: string }) {
  const { add, remove } = usePostChanges(authorId);
  const base = describeNewPost(authorId);
  const draft = titleDrafts.useDraft(base.id) ?? createTitleDraft(base);
  const { title } = draft.input;
  const { mutate, error, isPending, reset } = useChange({
    failure: `“${title}” was not created`,
    name: title,
    send: ({ input, key }: TitleDraft) => client.posts.create({ authorId, ...input }, { idempotencyKey: key }),
    onSent: async (post, sent) => {
      const { id, title } = post;
      titleDrafts.settle(sent, base);
      await add(post);
      const undo = () => client.posts.delete(id).then(() => remove(id));
      return { message: `Created “${title}”`, name: title, subject: id, authorId, undo };
    },
  });
  const change = (typed: string) => {
    titleDrafts.set(base, { title: typed });
    if (error) reset();
  };
  return (
    <TitleForm
      aria-label="Title of the new post"
      placeholder="Title of a new post"
      value={title}
      error={error}
      isSaved={title === ''}
      isPending={isPending}
      onChange={change}
      onSubmit={() => mutate(draft)}
    >
      <PendingButton type="submit" variant="default" isPending={isPending}>
        Add
      </PendingButton>
    </TitleForm>
  );
}

type Props = { post: Post; authorId: string; returnTo: Target; onDone: () => void };

export function EditTitle({ post, authorId, returnTo, onDone }: Props) {
  const { replace } = usePostChanges(authorId);
  const edit = titleDrafts.useDraft(post.id);
  const draft = edit ?? createTitleDraft({ id: post.id, authorId, title: post.title });
  const { title } = draft.input;
  useRestoredFocus(returnTo);
  const isOpen = useIsOpen();
  const { mutate, error, isPending, reset } = usePostChange(post, authorId, {
    wanted: 'renamed',
    send: async ({ input }: TitleDraft) => {
      // Posts have no versions, so the title is read and compared.
      const current = await client.posts.get(post.id);
      if (current && ![post.title, input.title].includes(current.title)) {
        await replace(current);
        throw new Error(`It was changed elsewhere to “${current.title}”. Save again to replace that.`);
      }
      return client.posts.update(post.id, input);
    },
    onSent: async (saved, sent) => {
      // Keeps the form open if the person has typed another title during the save, or opened the form again.
      if (isOpen.current && title === sent.input.title) onDone();
      titleDrafts.settle(sent, { ...sent.base, title: saved.title });
      await replace(saved);
      const undo = async () => {
        if ((await client.posts.get(post.id))?.title !== saved.title)
          throw new Error('the title was changed again elsewhere');
        await replace(await client.posts.update(post.id, { title: post.title }));
      };
      return { message: `Saved “${sent.input.title}”`, name: sent.input.title, subject: post.id, authorId, undo };
    },
  });
  const change = (typed: string) => {
    titleDrafts.set(draft.base, { title: typed });
    if (error) reset();
  };
  const cancel = () => {
    titleDrafts.drop(post.id);
    onDone();
  };
  const isOutdated = edit !== undefined && edit.base.title !== post.title && !isPending && !error;
  return (
    <TitleForm
      aria-label="Title"
      // An unsaved title takes no focus, because its form opens together with the user.
      autoFocus={edit === undefined}
      value={title}
      error={error}
      isSaved={edit === undefined}
      isPending={isPending}
      onChange={change}
      onSubmit={() => mutate(draft)}
      onKeyDown={(event) => event.key === 'Escape' && !isComposing(event) && cancel()}
      warning={isOutdated && <Warning>It was changed elsewhere to “{post.title}”. Saving replaces that.</Warning>}
    >
      <PendingButton type="submit" isPending={isPending}>
        Save
      </PendingButton>
      <Button variant="default" onClick={cancel}>
        Cancel
      </Button>
    </TitleForm>
  );
}

type FormProps = Omit<TextInputProps, 'error' | 'onChange' | 'onSubmit'> & {
  error: unknown;
  onChange: (title: string) => void;
  onSubmit: () => void;
  isSaved: boolean;
  isPending: boolean;
  warning?: ReactNode;
};

function TitleForm({ error, onChange, onSubmit, isSaved, isPending, warning, children, ...input }: FormProps) {
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!isPending) onSubmit();
  };
  return (
    <form onSubmit={submit} noValidate data-saved={isSaved || undefined}>
      <Stack gap="xs">
        <Group gap="xs" align="flex-start" wrap="nowrap">
          <TextInput
            {...input}
            flex={1}
            error={findFieldError(error, 'title')}
            onChange={({ currentTarget }) => onChange(currentTarget.value)}
          />
          {children}
        </Group>
        {warning}
        <SlowHint isPending={isPending} />
        <FormError message={findFormError(error, ['title'])} />
      </Stack>
    </form>
  );
}
