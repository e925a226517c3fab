import { Flex, Kbd, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import type { ChangeEvent, KeyboardEvent } from 'react';
import { findId, MAX_LENGTH } from '../../../../lib/features/search/query.ts';
import { findIdByAddress, isAddress } from '../api/search.ts';
import { isTooShort } from '../api/users.ts';
import { firstUserLink, focusFirst, searchField } from '../focus.ts';
import { isComposing, useSingleKeys } from '../keys.ts';
import { navigate, useRoute } from '../route.ts';
import classes from './search-field.module.css';
import { describeSearched, openFirstMatch, openOwner, useSearchText } from './search-text.ts';

export function SearchField({ className }: { className: string | undefined }) {
  const { q, user: openId } = useRoute();
  const { text, setText, searchAtOnce } = useSearchText(q);
  const isShort = isTooShort(text.trim());
  const searched = describeSearched();
  const [hasSingleKeys] = useSingleKeys();
  // The placeholder and the hint `/` need space, and the hint needs a keyboard.
  const isDesktop = useMediaQuery('(pointer: fine) and (min-width: 48em)', true, { getInitialValueInEffect: false });
  const type = ({ currentTarget: { value }, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    const id = findId(value);
    setText(id ? q : value);
    if (id) navigate({ user: id });
    else if (nativeEvent instanceof InputEvent && nativeEvent.inputType === 'insertFromPaste' && isAddress(value))
      findOwner(value, openId);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event)) return;
    if (event.key === 'Escape') event.currentTarget.blur();
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      focusFirst(firstUserLink);
    }
    if (event.key === 'Enter') {
      searchAtOnce();
      if (!isShort) openFirst(text, openId);
    }
  };
  return (
    <Flex component="search" gap="xs" className={className}>
      <TextInput
        ref={searchField}
        type="search"
        flex={1}
        aria-label={`Search users by ${searched}`}
        placeholder={isDesktop ? searched : 'Search'}
        inputWrapperOrder={['input', 'description']}
        classNames={{ description: classes.scope }}
        styles={{ wrapper: { margin: 0 }, input: { textOverflow: 'ellipsis' } }}
        description={
          <>
            Finds users by how words begin, in any order: <b>king ad</b>, <b>ada@</b>, <b>@example.org</b>. A whole
            address or id opens its user.
          </>
        }
        leftSection={<IconSearch size={16} />}
        aria-keyshortcuts={hasSingleKeys ? '/' : undefined}
        rightSection={text ? isShort && <ShortHint /> : hasSingleKeys && isDesktop && <Kbd size="xs">/</Kbd>}
        rightSectionWidth={isShort ? '8.25rem' : undefined}
        rightSectionPointerEvents="none"
        maxLength={MAX_LENGTH}
        value={text}
        onChange={type}
        onKeyDown={onKeyDown}
        onBlur={searchAtOnce}
      />
      {!isShort && q !== '' && (
        <VisuallyHidden role="status">
          Showing users that match <bdi>{q}</bdi>
        </VisuallyHidden>
      )}
    </Flex>
  );
}

const ShortHint = () => (
  <Text size="xs" c="dimmed" role="status">
    One more character
  </Text>
);

async function findOwner(address: string, openId: string | undefined): Promise<boolean> {
  const id = await findIdByAddress(address).catch(() => undefined);
  if (id) openOwner(address, openId, id);
  return id !== undefined;
}

async function openFirst(text: string, openId: string | undefined): Promise<void> {
  if (isAddress(text) && (await findOwner(text, openId))) return;
  openFirstMatch(text, openId);
}
