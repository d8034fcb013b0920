/** What a guideline asks of the subtitles of one language; times in ms, speeds in characters per second. */
export interface CaptionProfile {
  readonly id: 'netflix' | 'ted';
  readonly source: string;
  /** Of the guideline's last change; of the day on which it was read where it states none. */
  readonly date: string;
  readonly readingSpeedCps: number | null;
  readonly lineCharacters: number | null;
  readonly lines: number;
  readonly minimumDurationMs: number;
  readonly maximumDurationMs: number;
  readonly minimumGapFrames: number | null;
  /** Whether Latin letters, digits, spaces and punctuation of narrow width count as half a character in a line. */
  readonly countsNarrowHalf: boolean;
  /** Whether the limits of text are meant for languages in Latin script only; they are null for others. */
  readonly isForLatinScript: boolean;
}

const netflixSource = 'https://partnerhelp.netflixstudios.com/hc/en-us/articles';

/**
 * Timed Text Style Guide, adult programmes. General requirements: two lines, 5/6 s (833 ms) to 7 s. Timing guidelines
 * (article 360051554394): two frames between subtitles at any frame rate. Most languages have 17 characters per second and
 * 42 characters a line in guides of their own.
 */
const netflix: CaptionProfile = {
  id: 'netflix',
  source: `${netflixSource}/215758617-Timed-Text-Style-Guide-General-Requirements`,
  date: '2022-10-07',
  readingSpeedCps: 17,
  lineCharacters: 42,
  lines: 2,
  minimumDurationMs: 833,
  maximumDurationMs: 7000,
  minimumGapFrames: 2,
  countsNarrowHalf: false,
  isForLatinScript: false,
};

/** Where the guide of a language differs from the general one. */
const netflixByLanguage: Readonly<Record<string, Partial<CaptionProfile>>> = {
  en: {
    source: `${netflixSource}/217350977-English-USA-Timed-Text-Style-Guide`,
    date: '2025-12-19',
    readingSpeedCps: 20,
  },
  ko: {
    source: `${netflixSource}/216001127-Korean-Timed-Text-Style-Guide`,
    date: '2026-09-29',
    readingSpeedCps: 12,
    lineCharacters: 16,
    countsNarrowHalf: true,
  },
  // Horizontal subtitles.
  ja: {
    source: `${netflixSource}/215767517-Japanese-Timed-Text-Style-Guide`,
    date: '2026-09-29',
    readingSpeedCps: 4,
    lineCharacters: 13,
    minimumDurationMs: 500,
    countsNarrowHalf: true,
  },
  zh: {
    source: `${netflixSource}/215986007-Chinese-Simplified-Timed-Text-Style-Guide`,
    date: '2026-09-29',
    readingSpeedCps: 9,
    lineCharacters: 16,
  },
  'zh-Hant': {
    source: `${netflixSource}/215994807-Chinese-Traditional-Timed-Text-Style-Guide`,
    date: '2026-09-29',
    readingSpeedCps: 9,
    lineCharacters: 16,
  },
};

/** TED Translators cheat sheet; its numbers of characters are meant for Latin script. */
const ted: CaptionProfile = {
  id: 'ted',
  source: 'https://translations.ted.com/TED_Translators_Cheat-sheet',
  date: '2016-11-07',
  readingSpeedCps: 21,
  lineCharacters: 42,
  lines: 2,
  minimumDurationMs: 1000,
  maximumDurationMs: 7000,
  minimumGapFrames: null,
  countsNarrowHalf: false,
  isForLatinScript: true,
};

interface Writing {
  readonly language: string | null;
  readonly script: string | null;
}

const unknownWriting: Writing = { language: null, script: null };

/** Language and script of a tag (`kor` is `ko`, in Hangul), by Unicode's data; nothing is assumed of unknown tags. */
function writingOf(tag: string): Writing {
  try {
    const locale = new Intl.Locale(tag);
    return locale.language === 'und'
      ? unknownWriting
      : { language: locale.language, script: locale.maximize().script ?? null };
  } catch {
    return unknownWriting;
  }
}

/** The guidelines as they are for a language. */
export function captionProfilesOf(tag: string): CaptionProfile[] {
  const { language, script } = writingOf(tag);
  const own = netflixByLanguage[`${language}-${script}`] ?? netflixByLanguage[language ?? ''];
  return [{ ...netflix, ...own }, script === 'Latn' ? ted : { ...ted, readingSpeedCps: null, lineCharacters: null }];
}
