import { Radio, SimpleGrid, Text } from '@mantine/core';

export type Side = 'mine' | 'theirs';

type Props = {
  label: string;
  mine: string;
  theirs: string;
  theirVersion: number;
  side: Side;
  onChange: (side: Side) => void;
};

export function ConflictField({ label, mine, theirs, theirVersion, side, onChange }: Props) {
  if (mine === theirs)
    return (
      <div>
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <Text>{mine} (the same in both)</Text>
      </div>
    );
  return (
    <Radio.Group label={label} value={side} onChange={(value) => onChange(value as Side)}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt={6}>
        <Option value="mine" title="Yours" text={mine} />
        <Option value="theirs" title={`Saved as version ${theirVersion}`} text={theirs} />
      </SimpleGrid>
    </Radio.Group>
  );
}

const Option = ({ value, title, text }: { value: Side; title: string; text: string }) => (
  <Radio className="conflict-option" value={value} label={text} description={title} />
);
