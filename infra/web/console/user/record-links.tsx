import { Anchor, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { linkTo } from '../route.ts';
import { useErasure } from './use-erasure.ts';

type Props = { ids: readonly string[]; tab: 'history' | 'privacy'; children?: ReactNode };

/** Links to records of users who were deleted, below a text. Nothing without ids. */
export const RecordLinks = ({ ids, tab, children }: Props) =>
  ids.length > 0 && (
    <>
      {children && <Text size="sm">{children}</Text>}
      <List size="sm">
        {ids.map((id) => (
          <List.Item key={id}>
            <Anchor {...linkTo({ user: id, tab })} inherit>
              <code>{id}</code>
            </Anchor>
            <ErasureState id={id} />
          </List.Item>
        ))}
      </List>
    </>
  );

const ErasureState = ({ id }: { id: string }) => (useErasure(id).data ? ' erased' : null);
