import { Code, Typography } from '@mantine/core';
import { toAnchor } from './document.ts';
import classes from './reference.module.css';

/** Supports paragraphs, headings, tables and code. */
export const Markdown = ({ text }: { text: string }) => (
  <Typography maw="46rem" className={classes.long}>
    {text
      .trim()
      .split(/\n{2,}/)
      .map((block) => (
        <Block key={block} text={block} />
      ))}
  </Typography>
);

function Block({ text }: { text: string }) {
  if (text.startsWith('## ')) {
    const heading = text.slice(3);
    return <h2 id={toAnchor(heading)}>{heading}</h2>;
  }
  if (text.startsWith('| ')) return <Table lines={text.split('\n')} />;
  return (
    <p>
      <Inline text={text} />
    </p>
  );
}

export const Inline = ({ text }: { text: string }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: The parts of a text never move.
  text.split('`').map((part, index) => (index % 2 === 1 ? <Code key={index}>{part}</Code> : part));

const readCells = (line: string): string[] =>
  line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim());

function Table({ lines: [head = '', , ...rows] }: { lines: string[] }) {
  return (
    <table>
      <thead>
        <tr>
          {readCells(head).map((cell) => (
            <th key={cell}>{cell}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row}>
            {readCells(row).map((cell) => (
              <td key={cell}>
                <Inline text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export const listHeadings = (text: string): string[] =>
  [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
