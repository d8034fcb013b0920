import { z } from 'zod';
import { contentId, count, languageTag, positive } from '../base/grammar.ts';
import { parameters } from '../evidence/evidence.ts';
import { evidenceRun } from './media-probe.ts';

// Words that people write in the place of a tag: the English name of a language, or the language's own. The list is part of the
// program, not of the machine. Results from a stored record must not depend on the data of another version of Node.
const NAMES: readonly (readonly [code: string, names: readonly string[]])[] = [
  ['af', ['afrikaans']],
  ['am', ['amharic', 'አማርኛ']],
  ['ar', ['arabic', 'العربية']],
  ['az', ['azerbaijani', 'azərbaycan']],
  ['be', ['belarusian', 'беларуская']],
  ['bg', ['bulgarian', 'български']],
  ['bn', ['bengali', 'bangla', 'বাংলা']],
  ['bs', ['bosnian', 'bosanski']],
  ['ca', ['catalan', 'català']],
  ['cs', ['czech', 'čeština', 'česky']],
  ['cy', ['welsh', 'cymraeg']],
  ['da', ['danish', 'dansk']],
  ['de', ['german', 'deutsch']],
  ['el', ['greek', 'ελληνικά']],
  ['en', ['english']],
  ['eo', ['esperanto']],
  ['es', ['spanish', 'español', 'castellano', 'castilian']],
  ['et', ['estonian', 'eesti']],
  ['eu', ['basque', 'euskara']],
  ['fa', ['persian', 'farsi', 'فارسی']],
  ['fi', ['finnish', 'suomi']],
  ['fil', ['filipino']],
  ['fr', ['french', 'français']],
  ['ga', ['irish', 'gaeilge']],
  ['gl', ['galician', 'galego']],
  ['gu', ['gujarati', 'ગુજરાતી']],
  ['he', ['hebrew', 'עברית']],
  ['hi', ['hindi', 'हिन्दी']],
  ['hr', ['croatian', 'hrvatski']],
  ['hu', ['hungarian', 'magyar']],
  ['hy', ['armenian', 'հայերեն']],
  ['id', ['indonesian', 'indonesia']],
  ['is', ['icelandic', 'íslenska']],
  ['it', ['italian', 'italiano']],
  ['ja', ['japanese', '日本語']],
  ['ka', ['georgian', 'ქართული']],
  ['kk', ['kazakh']],
  ['km', ['khmer']],
  ['kn', ['kannada', 'ಕನ್ನಡ']],
  ['ko', ['korean', '한국어']],
  ['ku', ['kurdish', 'kurdî']],
  ['la', ['latin']],
  ['lo', ['lao', 'ລາວ']],
  ['lt', ['lithuanian', 'lietuvių']],
  ['lv', ['latvian', 'latviešu']],
  ['mk', ['macedonian', 'македонски']],
  ['ml', ['malayalam', 'മലയാളം']],
  ['mn', ['mongolian']],
  ['mr', ['marathi', 'मराठी']],
  ['ms', ['malay', 'melayu']],
  ['my', ['burmese']],
  ['nb', ['bokmål']],
  ['ne', ['nepali']],
  ['nl', ['dutch', 'flemish', 'nederlands', 'vlaams']],
  ['nn', ['nynorsk']],
  ['no', ['norwegian', 'norsk']],
  ['or', ['odia', 'oriya']],
  ['pa', ['punjabi']],
  ['pl', ['polish', 'polski']],
  ['pt', ['portuguese', 'português']],
  ['ro', ['romanian', 'română']],
  ['ru', ['russian', 'русский']],
  ['si', ['sinhala']],
  ['sk', ['slovak', 'slovenčina']],
  ['sl', ['slovenian', 'slovene', 'slovenščina']],
  ['sq', ['albanian', 'shqip']],
  ['sr', ['serbian', 'српски', 'srpski']],
  ['sv', ['swedish', 'svenska']],
  ['sw', ['swahili', 'kiswahili']],
  ['ta', ['tamil', 'தமிழ்']],
  ['te', ['telugu', 'తెలుగు']],
  ['th', ['thai', 'ไทย']],
  ['tl', ['tagalog']],
  ['tr', ['turkish', 'türkçe']],
  ['uk', ['ukrainian', 'українська']],
  ['ur', ['urdu', 'اردو']],
  ['vi', ['vietnamese', 'tiếng việt']],
  ['yo', ['yoruba']],
  ['zh', ['chinese', 'mandarin', '中文', '汉语', '漢語']],
  ['yue', ['cantonese']],
];

const CODES: ReadonlyMap<string, string> = new Map(NAMES.flatMap(([code, names]) => names.map((name) => [name, code])));

// `Portuguese (Brazil)`, `Chinese, simplified`, `French - forced`: the part after the name narrows the language or is not part of
// it.
const NAME_ITSELF = /^[^(),/;:[\]-]+/;

/** The BCP 47 code of a language that is given by its English name or its own, in any case; null for every other text. */
export function languageNamed(text: string): string | null {
  const name = NAME_ITSELF.exec(text.normalize('NFC'))?.[0].trim().toLowerCase();
  return name === undefined ? null : (CODES.get(name) ?? null);
}

const isDistinct = (codes: readonly string[]): boolean => new Set(codes).size === codes.length;

const share = z.number().min(0).max(1);

const confidence = {
  token_id: count.nullable(),
  probability: share.nullable(),
  /** How far the best language was ahead of the next. */
  margin: share.nullable(),
};

const decision = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('classified'), code: languageTag, ...confidence, reason: z.null() }),
  z.strictObject({
    status: z.enum(['unknown', 'withheld']),
    code: languageTag.nullable(),
    ...confidence,
    reason: z.enum(['insufficient_samples', 'below_probability', 'below_margin', 'below_probability_and_margin']),
  }),
]);

const languageRange = z
  .strictObject({
    /** The window of the speech-activity record in which the range lies. */
    speech_window_index: count,
    /** Counts the ranges of one window from 0. */
    chunk_index: count,
    start_sample: count,
    end_sample: positive,
    scores: z
      .array(z.strictObject({ code: languageTag, probability: share }))
      .refine((scores) => isDistinct(scores.map(({ code }) => code)), 'one score a language'),
    decision,
  })
  .refine((found) => found.start_sample < found.end_sample, 'a range must not be empty');

/** The spoken languages with their ranges, over the speech windows of one speech-activity record. */
export const languageRanges = z.strictObject({
  schema: z.literal('studio.language-ranges.v1'),
  producer: z.string().min(1),
  run: evidenceRun,
  input: z.strictObject({
    source_content_id: contentId,
    speech_activity_content_id: contentId,
    audio_content_id: contentId,
  }),
  configuration: parameters,
  /** The languages among which it decided. */
  languages: z.array(languageTag).min(1).refine(isDistinct, 'each language once'),
  ranges: z.array(languageRange),
});

export type LanguageRange = z.infer<typeof languageRange>;
export type LanguageRanges = z.infer<typeof languageRanges>;
