import { errorRemedies } from '../../contract/base/errors.ts';
import { features } from '../../features/features.ts';
import { startRemedies } from '../../options/failures.ts';

const remedies: Readonly<Record<string, string | null>> = {
  ...startRemedies,
  ...Object.fromEntries(
    features.flatMap((feature) =>
      Object.entries(feature.remedies ?? {}).map(([code, remedy]) => [code, String(remedy)] as const),
    ),
  ),
  ...errorRemedies,
};

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
