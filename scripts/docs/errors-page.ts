import { startRemedies } from '../../cli/failures.ts';
import { errorRemedies } from '../../contract/base/errors.ts';

const remedies: Readonly<Record<string, string | null>> = { ...startRemedies, ...errorRemedies };

/** Writes the remedies that the messages carry into the last column of every table whose last column is "what to do". */
export function withRemedies(page: string): string {
  let isTable = false;
  return page
    .split('\n')
    .map((line) => {
      if (!line.startsWith('|')) isTable = false;
      else if (/\| what to do \|$/.test(line)) isTable = true;
      const code = /^\| `([a-z_]+)` \|/.exec(line)?.[1];
      const remedy = code === undefined ? undefined : remedies[code];
      return isTable && typeof remedy === 'string' ? line.replace(/\|[^|]*\|$/, `| ${remedy} |`) : line;
    })
    .join('\n');
}
