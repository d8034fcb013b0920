import type { TrackLanguageFact } from '../contract/evidence/evidence.ts';
import { lettersOf } from './text-comparison.ts';

/**
 * The language itself without script or region, in its shortest code: `kor` and `ko-KR` are both `ko`, as the language
 * subtag registry of BCP 47 has it. Null for what names no language.
 */
export function baseLanguage(tag: string): string | null {
  const [canonical] = canonicalTags(tag);
  const base = canonical?.split('-', 1)[0] ?? null;
  return base === null || ['und', 'mul', 'zxx', 'mis'].includes(base) ? null : base;
}

/**
 * Members of macrolanguages that films and subtitles are tagged with, by the code of the macrolanguage. From the table of
 * macrolanguages of ISO 639-3 (iso639-3.sil.org), which the language subtag registry of BCP 47 repeats. Indonesian is not here
 * beside Malay, nor are Croatian, Serbian and Bosnian. Each has subtitles of its own.
 */
const macrolanguages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    no: 'nb nn nob nno',
    zh: 'cmn yue wuu nan hak gan hsn cdo cjy cpx czh czo mnp lzh',
    ar: 'arb arz ary arq aeb apc ajp acm afb acw ars apd ayl acx ayn ayp shu ssh',
    fa: 'pes prs',
    ms: 'zsm zlm',
    ku: 'kmr ckb sdh',
    et: 'ekk vro',
    lv: 'lvs ltg',
    sw: 'swh swc',
    sq: 'als aln aae aat',
    az: 'azj azb',
    uz: 'uzn uzs',
    mn: 'khk mvf',
    ne: 'npi dty',
    ps: 'pbt pbu pst',
    om: 'gaz hae orc gax',
    mg: 'plt xmv bhr msh skg',
    or: 'ory spv',
    yi: 'ydd yih',
    ff: 'fuc fuf ffm fuv fub fuh fue fui fuq',
    qu: 'quz quy qub qug',
  }).flatMap(([macro, members]) => members.split(' ').map((member) => [member, macro] as const)),
);

/** The code of the macrolanguage of a member, such as `no` of `nb`; null for a code that is no member. */
export const macrolanguageOf = (code: string): string | null => macrolanguages.get(code) ?? null;

/** The members of a macrolanguage, as base codes; none for any other language. */
export const membersOf = (code: string): string[] =>
  [...macrolanguages].flatMap(([member, macro]) => (macro === code ? [member] : []));

/** Two written forms of one spoken language, which all of its speakers read. */
const writtenForms = new Set(['no']);

/** A language by its macrolanguage, or by itself without one; `member` is null for all of it. */
interface SpokenLanguage {
  readonly language: string;
  readonly member: string | null;
}

function spokenLanguageOf(tag: string): SpokenLanguage | null {
  const base = baseLanguage(tag);
  if (base === null) return null;
  // The canonical form of the member that stands for a macrolanguage, such as `cmn`, is the macrolanguage.
  const stated = tag.toLowerCase().split(/[-_]/, 1)[0] ?? base;
  for (const member of [stated, base]) {
    const language = macrolanguages.get(member);
    if (language !== undefined) return { language, member };
  }
  return { language: base, member: null };
}

/** True if a tag names one member of a macrolanguage, such as `nb`, and not all of it, such as `no`. */
export const isMember = (tag: string): boolean => (spokenLanguageOf(tag)?.member ?? null) !== null;

/**
 * True if two tags name one language, whatever its script and region. A macrolanguage is one with each of its members: `no` with
 * `nb`, `zh` with `yue`. Two members are two languages: `cmn` and `yue`; but the two forms of Norwegian are one.
 */
export function areOneLanguage(tag: string, other: string): boolean {
  const [one, two] = [spokenLanguageOf(tag), spokenLanguageOf(other)];
  if (one === null || one.language !== two?.language) return false;
  return one.member === null || two.member === null || one.member === two.member || writtenForms.has(one.language);
}

/** True if one of some tags names the language of a tag. */
export const isAmong = (tag: string, tags: readonly string[]): boolean =>
  tags.some((each) => areOneLanguage(tag, each));

function canonicalTags(tag: string): string[] {
  try {
    return Intl.getCanonicalLocales(tag);
  } catch {
    // A container may carry any text in the place of its language.
    return [];
  }
}

/**
 * The number of letters from which a script is judged, and the identifier believed. On single cues the identifier errs in 31 of
 * 100, so it does not judge shorter lines. The bound of 40 letters is a choice and was not measured. Fewer than eight letters in
 * a foreign script are a name.
 */
export const LANGUAGE_GATE = { scriptLetters: 8, foreignShare: 0.5, identifiedLetters: 40 } as const;

const LATIN = /\p{Script=Latin}/u;

const scripts: Readonly<Record<string, RegExp>> = {
  ko: /[\p{Script=Hangul}\p{Script=Han}]/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  zh: /[\p{Script=Han}\p{Script=Bopomofo}]/u,
  yue: /\p{Script=Han}/u,
  th: /\p{Script=Thai}/u,
  el: /\p{Script=Greek}/u,
  hy: /\p{Script=Armenian}/u,
  ka: /\p{Script=Georgian}/u,
  ta: /\p{Script=Tamil}/u,
  te: /\p{Script=Telugu}/u,
  kn: /\p{Script=Kannada}/u,
  ml: /\p{Script=Malayalam}/u,
  gu: /\p{Script=Gujarati}/u,
  pa: /\p{Script=Gurmukhi}/u,
  ...Object.fromEntries(['he', 'yi'].map((code) => [code, /\p{Script=Hebrew}/u])),
  ...Object.fromEntries(['hi', 'mr', 'ne'].map((code) => [code, /\p{Script=Devanagari}/u])),
  ...Object.fromEntries(['bn', 'as'].map((code) => [code, /\p{Script=Bengali}/u])),
  ...Object.fromEntries(['ar', 'fa', 'ur', 'ps'].map((code) => [code, /\p{Script=Arabic}/u])),
  ...Object.fromEntries(['ru', 'uk', 'bg', 'be', 'mk'].map((code) => [code, /\p{Script=Cyrillic}/u])),
  ...Object.fromEntries(
    'en de fr es it pt nl sv no nb nn da fi is et lv lt pl cs sk sl hr hu ro tr vi id ms tl sw ca eu gl ga cy af sq'
      .split(' ')
      .map((code) => [code, LATIN]),
  ),
};

/**
 * Names by which servers of the Whisper family call a language, in small letters; others use its code. They are `LANGUAGES` and
 * `TO_LANGUAGE_CODE` in `tokenizer.py` of openai/whisper, and the full names that other servers answer.
 */
const names: ReadonlyMap<string, string> = new Map(
  `afrikaans=af, albanian=sq, amharic=am, arabic=ar, armenian=hy, assamese=as, azerbaijani=az, bashkir=ba, basque=eu, belarusian=be,
   bengali=bn, bokmål=nb, bosnian=bs, brazilian portuguese=pt, breton=br, bulgarian=bg, burmese=my, cantonese=yue,
   cantonese chinese=yue, castilian=es, catalan=ca, chinese=zh, croatian=hr, czech=cs, danish=da, dutch=nl, english=en, esperanto=eo,
   estonian=et, faroese=fo, farsi=fa, filipino=tl, finnish=fi, flemish=nl, french=fr, galician=gl, georgian=ka, german=de, greek=el,
   gujarati=gu, haitian=ht, haitian creole=ht, hausa=ha, hawaiian=haw, hebrew=he, hindi=hi, hungarian=hu, icelandic=is, indonesian=id,
   irish=ga, italian=it, japanese=ja, javanese=jw, kannada=kn, kazakh=kk, khmer=km, korean=ko, kurdish=ku, lao=lo, latin=la,
   latvian=lv, letzeburgesch=lb, lingala=ln, lithuanian=lt, luxembourgish=lb, macedonian=mk, malagasy=mg, malay=ms, malayalam=ml,
   maltese=mt, mandarin=zh, mandarin chinese=zh, maori=mi, marathi=mr, modern greek=el, moldavian=ro, moldovan=ro, mongolian=mn,
   myanmar=my, nepali=ne, norwegian=no, norwegian bokmål=nb, norwegian nynorsk=nn, nynorsk=nn, occitan=oc, odia=or, panjabi=pa,
   pashto=ps, persian=fa, polish=pl, portuguese=pt, punjabi=pa, pushto=ps, romanian=ro, russian=ru, sanskrit=sa, serbian=sr, shona=sn,
   sindhi=sd, sinhala=si, sinhalese=si, slovak=sk, slovene=sl, slovenian=sl, somali=so, spanish=es, sundanese=su, swahili=sw,
   swedish=sv, tagalog=tl, tajik=tg, tamil=ta, tatar=tt, telugu=te, thai=th, tibetan=bo, turkish=tr, turkmen=tk, ukrainian=uk,
   urdu=ur, uzbek=uz, valencian=ca, vietnamese=vi, welsh=cy, yiddish=yi, yoruba=yo`
    .split(/,\s+/)
    .map((row) => row.split('=') as [string, string]),
);

/** The base code of the language that a recognizer states; null if its word is neither a code nor a known name. */
export function recognizedLanguageCode(word: string): string | null {
  const plain = word.normalize('NFC').trim().toLowerCase().replaceAll('_', '-').replace(/\s+/g, ' ');
  const named = names.get(plain);
  if (named !== undefined) return baseLanguage(named);
  return /^[a-z]{2,3}(-[a-z0-9]+)*$/.test(plain) ? baseLanguage(plain) : null;
}

/** Most letters of a text are of no script in which one of these languages is written. */
function isForeignScript(letters: readonly string[], declared: readonly string[]): boolean {
  const words = letters.filter((letter) => /\p{L}/u.test(letter));
  if (words.length < LANGUAGE_GATE.scriptLetters) return false;
  const known = declared.map((code) => scripts[code]);
  if (known.some((script) => script === undefined)) return false;
  const own = words.filter((letter) => known.some((script) => script?.test(letter))).length;
  return own < (1 - LANGUAGE_GATE.foreignShare) * words.length;
}

/**
 * True if a text is in another language than the declared ones (base codes; none declared, none contradicted). The script
 * decides, the identified language of a long enough text, and the recognizer's own statement.
 */
export function contradictsLanguage(
  text: string,
  declared: readonly string[],
  { identified, recognized }: { readonly identified: string | null; readonly recognized: string | null },
): boolean {
  if (declared.length === 0) return false;
  const letters = lettersOf(text);
  if (isForeignScript(letters, declared)) return true;
  const recognizedCode = recognized === null ? null : recognizedLanguageCode(recognized);
  if (recognizedCode !== null && !isAmong(recognizedCode, declared)) return true;
  const code = identified === null ? null : baseLanguage(identified);
  return code !== null && letters.length >= LANGUAGE_GATE.identifiedLetters && !isAmong(code, declared);
}

/** Letters from which a whole track is judged by its script, and their share in it: fewer are a scene in another language. */
const TRACK_SCRIPT = { letters: 100, ownShare: 0.05 } as const;

/** True if hardly a letter of a track is of a script in which its language is written; false if the tag names a script. */
export function isInOtherScript(tag: string, texts: readonly string[]): boolean {
  const [canonical] = canonicalTags(tag);
  const script = scripts[baseLanguage(tag) ?? ''];
  if (script === undefined || canonical === undefined || new Intl.Locale(canonical).script !== undefined) return false;
  const words = lettersOf(texts.join(' ')).filter((letter) => /\p{L}/u.test(letter));
  const own = words.filter((letter) => script.test(letter)).length;
  return words.length >= TRACK_SCRIPT.letters && own < TRACK_SCRIPT.ownShare * words.length;
}

/** From how many characters on an identifier is believed against a tag: fewer are a name, a cry or a foreign word. */
export const contradictionCharacters = 24;

// The languages that the identifier knows (eld, its 60 languages, in their canonical codes): for others it names the nearest.
const identifiable = new Set(
  `am ar az be bg bn ca cs da de el en es et eu fa fi fil fr gu he hi hr hu hy is it ja ka kn ko ku lo lt lv ml mr ms nl no
   or pa pl pt ro ru sk sl sq sr sv ta te th tr uk ur vi yo zh`.split(/\s+/),
);

// Written so much alike that an identifier's word does not part them.
const alike: readonly (readonly string[])[] = [
  ['no', 'nb', 'nn', 'da'],
  ['hr', 'sr', 'bs'],
  ['cs', 'sk'],
  ['ms', 'id'],
  ['zh', 'yue'],
];

const likes = (language: string): readonly string[] =>
  alike.find((languages) => languages.includes(language)) ?? [language];

/** True if an identifier does not part the texts of two languages, given by their base codes. */
export const isWrittenAlike = (code: string, other: string): boolean => likes(code).includes(other);

/** True if an identifier's answer for a text contradicts a language, which it must be able to name. Both are base codes. */
export const isOtherLanguage = (language: string, identified: string | null): boolean =>
  identified !== null &&
  !likes(identified).includes(language) &&
  !areOneLanguage(language, identified) &&
  likes(language).some((each) => identifiable.has(each));

/**
 * True if a text is in none of the languages that an engine reads, so that it cannot make out its letters. False if the language
 * of the text is not identified, or if the identifier could not have named one of the engine's. `read` are codes of the engine,
 * such as `eng` or `chi_sim`.
 */
export const isInUnreadLanguage = (identified: string | null, read: readonly string[]): boolean =>
  read.length > 0 &&
  read.every((code) => {
    const language = baseLanguage(code.split('_', 1)[0] ?? code);
    return language !== null && isOtherLanguage(language, identified);
  });

/** A text of a track and what it alone was identified as. */
export interface IdentifiedText {
  readonly text: string;
  readonly language: string | null;
}

/**
 * True if a track as a whole is in another language than its tag. Its script proves it, or most of its identified text, at least
 * `contradictionCharacters`, is in the language that the whole was identified as. Languages are bases in their canonical codes.
 * An identifier contradicts only tags that it could have confirmed.
 */
export function contradicts(
  tagged: string,
  found: { readonly language: string; readonly method: TrackLanguageFact['method'] },
  texts: readonly IdentifiedText[],
): boolean {
  const near = likes(found.language);
  if (near.includes(tagged) || areOneLanguage(tagged, found.language)) return false;
  if (found.method === 'script') return true;
  if (!likes(tagged).some((language) => identifiable.has(language))) return false;
  const charactersOf = (some: readonly IdentifiedText[]): number =>
    some.reduce((sum, { text }) => sum + text.length, 0);
  const identified = texts.filter(({ language }) => language !== null);
  const agreeing = charactersOf(identified.filter(({ language }) => near.includes(language ?? '')));
  return agreeing >= contradictionCharacters && 2 * agreeing > charactersOf(identified);
}
