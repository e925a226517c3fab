import { Button, NavLink, Stack, TextInput, Title } from '@mantine/core';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type Operation, type ReferenceDocument, toAnchor } from './document.ts';
import { Method } from './labels.tsx';
import { listHeadings } from './markdown.tsx';
import classes from './reference.module.css';

const CURRENT = { 'aria-current': 'location', fw: 600, bg: 'var(--mantine-color-default-hover)' } as const;

/** `Ctrl K` or `/` focuses the search field. */
export function Contents({ description, groups: all }: ReferenceDocument) {
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const current = useCurrentSection();
  useSearchKeys(() => {
    // Synchronous: the field needs the focus before the next key arrives.
    flushSync(() => setOpen(true));
    input.current?.focus();
  });
  const groups = all.map((group) => ({
    ...group,
    operations: group.operations.filter((operation) => matches(operation, search)),
  }));

  const open = (anchor: string | undefined) => {
    if (!anchor) return;
    location.hash = anchor;
    close();
  };
  const close = () => {
    setSearch('');
    setOpen(false);
    input.current?.blur();
  };
  const link = (anchor: string, text: string, badge?: ReactNode) => (
    <NavLink
      href={`#${anchor}`}
      label={text}
      rightSection={badge}
      {...(anchor === current && CURRENT)}
      p="0.25rem 0.5rem"
      onClick={close}
    />
  );

  return (
    <nav className={classes.contents} aria-label="Contents">
      <Button hiddenFrom="sm" variant="default" size="xs" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Contents
      </Button>
      <Stack gap="xs" {...(!isOpen && { visibleFrom: 'sm' })} my="xs">
        <TextInput
          ref={input}
          type="search"
          size="xs"
          aria-label="Find an operation"
          placeholder="Find an operation (Ctrl K)"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={({ key }) => {
            if (key === 'Enter') open(groups.flatMap(({ operations }) => operations)[0]?.anchor);
            if (key === 'Escape') close();
          }}
        />
        {search === '' && (
          <ul className={classes.list}>
            <li>{link('start', 'Start')}</li>
            {listHeadings(description).map((heading) => (
              <li key={heading}>{link(toAnchor(heading), heading)}</li>
            ))}
          </ul>
        )}
        {groups
          .filter(({ operations }) => operations.length > 0)
          .map(({ name, operations }) => (
            <div key={name}>
              <Title order={2} size="h6" c="dimmed">
                {name}
              </Title>
              <ul className={classes.list}>
                {operations.map(({ anchor, summary, method }) => (
                  <li key={anchor}>{link(anchor, summary, <Method>{method}</Method>)}</li>
                ))}
              </ul>
            </div>
          ))}
        {groups.every(({ operations }) => operations.length === 0) && <p role="status">No operation is found.</p>}
      </Stack>
    </nav>
  );
}

function matches({ summary, operationId, method, path, description }: Operation, search: string): boolean {
  const text = [summary, operationId, method, path, description].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function useSearchKeys(focusSearch: () => void): void {
  const latest = useRef(focusSearch);
  latest.current = focusSearch;
  // Listens before the first paint. Mantine's useHotkeys ignores a / typed with Shift, as on German keyboards.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
      const isShortcut = (event.ctrlKey || event.metaKey) && event.key === 'k';
      if (!isShortcut && (isTyping || event.key !== '/')) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Returns the id of the operation at the top of the window. */
function useCurrentSection(): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        const entered = entries.find(({ isIntersecting }) => isIntersecting);
        if (entered) setCurrent(entered.target.id);
      },
      { rootMargin: '-20% 0px -79% 0px' },
    );
    for (const section of document.querySelectorAll('section[id]')) observer.observe(section);
    return () => observer.disconnect();
  }, []);
  return current;
}
