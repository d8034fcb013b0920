import type { GuidelineReport, WrittenFinding } from '../captions/guideline-report.ts';

/** The makers of guidelines, as they write their names. */
export const guidelineNames: Readonly<Record<GuidelineReport['guideline']['id'], string>> = {
  netflix: 'Netflix',
  bbc: 'BBC',
  dcmp: 'DCMP',
  ted: 'TED',
};

/** Thousandths with at most one digit, rounded away from the limit: what passes a limit never reads like it. */
const tenths = (milli: number): string => String(Math.ceil(milli / 100) / 10);

const seconds = (ms: number): string => `${ms / 1000} s`;

/** A finding in words, with its figure and its limit: `21.4 characters a second, at most 20`. */
export function findingWords(
  { code, measured, limit }: Pick<WrittenFinding, 'code' | 'measured' | 'limit'>,
  { limits }: Pick<GuidelineReport, 'limits'>,
): string {
  switch (code) {
    case 'reading_speed_too_high': {
      const unit = limits.readingSpeed?.unit === 'words_per_minute' ? 'words a minute' : 'characters a second';
      return `${tenths(measured)} ${unit}, at most ${tenths(limit)}`;
    }
    case 'line_too_long':
      return `a row of ${tenths(measured)} characters, at most ${tenths(limit)}`;
    case 'too_many_lines':
      return `${measured} rows, at most ${limit}`;
    case 'duration_too_short':
      return `shown for ${seconds(measured)}, at least ${seconds(limit)}`;
    case 'duration_too_long':
      return `shown for ${seconds(measured)}, at most ${seconds(limit)}`;
    case 'gap_too_short':
      return `${seconds(measured)} after the line before it, at least ${seconds(limit)}${limits.gap?.orNone === true ? ' or none' : ''}`;
    case 'overlap':
      return `begins ${seconds(measured)} before the line before it ends`;
  }
}

/** How many lines of a report depart from its guideline. */
export const linesFound = ({ findings }: Pick<GuidelineReport, 'findings'>): number =>
  new Set(findings.map(({ number }) => number)).size;
