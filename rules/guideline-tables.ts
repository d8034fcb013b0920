import { isWide, writingOf } from './caption-guidelines.ts';

/** How the characters of a row are counted. */
export type Counting = 'characters' | 'narrow_half' | 'without_marks';

/** The limits of a guideline for captions in one language. Times are in ms; null stands for a limit that it does not set. */
export interface Guideline {
  readonly id: 'netflix' | 'bbc' | 'dcmp' | 'ted';
  /** Of this table: a figure that changes makes a new version. */
  readonly version: number;
  readonly source: string;
  /** Of the guideline's last change; of the day on which it was read where it states none. */
  readonly date: string;
  readonly readingSpeed: {
    readonly unit: 'characters_per_second' | 'words_per_minute';
    readonly limit: number;
  } | null;
  readonly rowCharacters: number | null;
  readonly counting: Counting;
  /** `width`: the guideline limits the width of a row, and `rowCharacters` stand for it. */
  readonly rowLimitIs: 'characters' | 'width';
  readonly rows: number;
  readonly minimumDurationMs: number | null;
  readonly maximumDurationMs: number | null;
  /** The least time between two cues: frames, or ms where cues may also follow each other without a gap. */
  readonly gap: { readonly frames: number } | { readonly noneOrMs: number } | null;
  /** Limits that a page of the guideline is said to set, and that could not be read there: null here, and named so. */
  readonly unverified?: readonly ('minimumDurationMs' | 'maximumDurationMs')[];
  /** The limits of text are null for other languages than these. */
  readonly meantFor: 'all' | 'latin_script' | 'english';
}

const articles = 'https://partnerhelp.netflixstudios.com/hc/en-us/articles';

/**
 * Timed Text Style Guide, adult programs that are translated. General requirements: two rows, 5/6 s (833 ms) to 7 s. Timing
 * guidelines (article 360051554394): two frames between subtitles at any frame rate. Every language that has no line below has
 * 17 characters a second and 42 a row in its own guide, if it has one.
 */
const netflix: Guideline = {
  id: 'netflix',
  version: 2,
  source: `${articles}/215758617-Timed-Text-Style-Guide-General-Requirements`,
  date: '2026-09-26',
  readingSpeed: { unit: 'characters_per_second', limit: 17 },
  rowCharacters: 42,
  counting: 'characters',
  rowLimitIs: 'characters',
  rows: 2,
  minimumDurationMs: 833,
  maximumDurationMs: 7000,
  gap: { frames: 2 },
  meantFor: 'all',
};

/** A guide by its article and its adult reading speed, in characters a second. */
const guide = (article: string, limit: number): Partial<Guideline> => ({
  source: `${articles}/${article}-Timed-Text-Style-Guide`,
  readingSpeed: { unit: 'characters_per_second', limit },
});

/** The reading speed of the guides for seven languages of India and Bangladesh. They leave open how vowel signs count. */
const indic = (article: string): Partial<Guideline> => guide(article, 22);

const traditionalChinese: Partial<Guideline> = {
  ...guide('215994807-Chinese-Traditional', 9),
  rowCharacters: 16,
  counting: 'narrow_half',
};

/**
 * The guides that differ from the general one, as two independent tables of September 2026 have them. Article 115001352212 has the
 * rules of counting: spaces and punctuation count. In languages of full-width characters the narrow ones count half, in a row and in the
 * reading speed. The Thai guide counts no tone marks, and no vowels above or below.
 */
const netflixByLanguage: Readonly<Record<string, Partial<Guideline>>> = {
  en: guide('217350977-English-USA', 20),
  ar: guide('215517947-Arabic', 20),
  bn: indic('4483351778963-Bangla'),
  hi: indic('115003196707-Hindi'),
  kn: indic('4482685308819-Kannada'),
  ml: indic('4482522640275-Malayalam'),
  mr: indic('4483518309907-Marathi'),
  ta: indic('4481912003987-Tamil'),
  te: indic('4482320288787-Telugu'),
  th: { ...guide('220448308-Thai', 17), rowCharacters: 35, counting: 'without_marks' },
  ko: { ...guide('216001127-Korean', 12), rowCharacters: 16, counting: 'narrow_half' },
  // Horizontal subtitles.
  ja: { ...guide('215767517-Japanese', 4), rowCharacters: 13, counting: 'narrow_half', minimumDurationMs: 500 },
  zh: { ...guide('215986007-Chinese-Simplified', 9), rowCharacters: 16, counting: 'narrow_half' },
  'zh-Hant': traditionalChinese,
  // Cantonese is written by the guide for Traditional Chinese.
  yue: traditionalChinese,
};

/**
 * BBC Subtitle Guidelines, sections 3 and 4: 160 to 180 words a minute, two rows, no gap or at least one second. Online the BBC
 * limits the width of a row: 68 % of a picture of 16:9. The number of characters in it depends on the font; the 37 of Teletext stand
 * for it, as section 3.1 has them as the equivalent. The shortest time, 0.3 s for a word, follows from the words a minute.
 */
const bbc: Guideline = {
  id: 'bbc',
  version: 1,
  source: 'https://www.bbc.co.uk/accessibility/forproducts/guides/subtitles/',
  date: '2026-11-28',
  readingSpeed: { unit: 'words_per_minute', limit: 180 },
  rowCharacters: 37,
  counting: 'characters',
  rowLimitIs: 'width',
  rows: 2,
  minimumDurationMs: null,
  maximumDurationMs: null,
  gap: { noneOrMs: 1000 },
  meantFor: 'english',
};

/**
 * DCMP Captioning Key: 130, 140 and 160 words a minute for lower, middle and upper levels of education. The limit here is that of the
 * upper level. A row has 32 characters, and there are two rows. Its shortest and its longest time of a cue could not be verified.
 */
const dcmp: Guideline = {
  id: 'dcmp',
  version: 1,
  source: 'https://dcmp.org/learn/captioningkey/601',
  date: '2026-11-28',
  readingSpeed: { unit: 'words_per_minute', limit: 160 },
  rowCharacters: 32,
  counting: 'characters',
  rowLimitIs: 'characters',
  rows: 2,
  minimumDurationMs: null,
  maximumDurationMs: null,
  gap: null,
  unverified: ['minimumDurationMs', 'maximumDurationMs'],
  meantFor: 'english',
};

/** TED Translators cheat sheet; its numbers of characters are meant for Latin script. */
const ted: Guideline = {
  id: 'ted',
  version: 1,
  source: 'https://translations.ted.com/TED_Translators_Cheat-sheet',
  date: '2016-11-07',
  readingSpeed: { unit: 'characters_per_second', limit: 21 },
  rowCharacters: 42,
  counting: 'characters',
  rowLimitIs: 'characters',
  rows: 2,
  minimumDurationMs: 1000,
  maximumDurationMs: 7000,
  gap: null,
  meantFor: 'latin_script',
};

const withoutText = (guideline: Guideline): Guideline => ({ ...guideline, readingSpeed: null, rowCharacters: null });

/** The guide of Netflix for a language. */
export function netflixGuideline(tag: string): Guideline {
  const { language, script } = writingOf(tag);
  return { ...netflix, ...(netflixByLanguage[`${language}-${script}`] ?? netflixByLanguage[language ?? '']) };
}

/** The guidelines as they are for a language, that of the line breaks first. */
export function guidelinesFor(tag: string): Guideline[] {
  const { language, script } = writingOf(tag);
  const isMeant = ({ meantFor }: Guideline): boolean =>
    meantFor === 'all' || (meantFor === 'english' ? language === 'en' : script === 'Latn');
  return [netflixGuideline(tag), bbc, dcmp, ted].map((each) => (isMeant(each) ? each : withoutText(each)));
}

// Marks of direction, joiners and others that a viewer does not see.
const unseen = /^\p{Default_Ignorable_Code_Point}+$/u;
const thai = /\p{sc=Thai}/u;
const uncounted = /[\p{M}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The width of a grapheme cluster in thousandths of a character. What is not seen has none. A cluster of Thai may have a vowel beside
 * its consonant, which counts.
 */
export function countedWidth(character: string, counting: Counting): number {
  if (unseen.test(character)) return 0;
  if (counting === 'narrow_half') return isWide(character) ? 1000 : 500;
  if (counting === 'without_marks' && thai.test(character))
    return [...character.replaceAll(uncounted, '')].length * 1000;
  return 1000;
}
