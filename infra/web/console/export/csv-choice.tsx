import { Menu, Text } from '@mantine/core';
import { useStore } from '../store.ts';
import { plainCsv } from './export.ts';

/** Last items of a menu of exports. */
export function CsvChoice() {
  const isPlain = useStore(plainCsv);
  return (
    <>
      <Menu.Divider />
      <Menu.Label maw="19rem">
        <Text size="sm">
          CSV has an apostrophe before texts such as +49 170, which spreadsheets would change. Imports remove it.
        </Text>
      </Menu.Label>
      <Menu.CheckboxItem checked={isPlain} closeMenuOnClick={false} onChange={(checked) => plainCsv.set(() => checked)}>
        For other programs: no apostrophes
      </Menu.CheckboxItem>
    </>
  );
}
