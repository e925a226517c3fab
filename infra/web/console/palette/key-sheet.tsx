import { Checkbox, DataList, Kbd, Modal } from '@mantine/core';
import { useModKey, useSingleKeys } from '../keys.ts';

export function KeySheet({ onClose }: { onClose: () => void }) {
  const mod = useModKey();
  const [hasSingleKeys, setSingleKeys] = useSingleKeys();
  const keys: [keys: string, meaning: string][] = [
    [`${mod} K`, 'Find a user or a command'],
    ['/', 'Search the list'],
    ['↓ ↑', 'From the search into the list, and between users'],
    ['Enter', 'Open the user; in the search, the first one'],
    ['Space', 'Select the user; with Shift, all up to it'],
    ['N', 'New user'],
    ['L', 'Copy the link, such as to the open user'],
    [`${mod} Z`, 'Undo'],
    ['Esc', 'Close what is open'],
    ['?', 'Show these keys'],
  ];
  return (
    <Modal opened onClose={onClose} title="Keys" centered returnFocus={false}>
      <DataList labelWidth="5rem" gap={8}>
        {keys.map(([key, meaning]) => (
          <DataList.Item key={key}>
            <DataList.ItemLabel>
              <Kbd>{key}</Kbd>
            </DataList.ItemLabel>
            <DataList.ItemValue>{meaning}</DataList.ItemValue>
          </DataList.Item>
        ))}
      </DataList>
      <Checkbox
        mt="md"
        label="Single keys: / N L ?"
        checked={hasSingleKeys}
        onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
      />
    </Modal>
  );
}
