import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { TrackLanguageFact } from '../../contract/evidence/evidence.ts';
import type { Detector } from '../detector/detector.ts';
import type { IdentifierAnswer } from '../detector/detector-messages.ts';

/**
 * Languages that the identifier takes for one that it has, since it was not made for them, by the code that it gives them. `own`
 * has frequent words that the language of this code writes and they do not, `others` those that they write and it does not. The
 * lists were written for this project. Galician, Asturian and Occitan become `es`, `pt` or `ca`. Afrikaans `nl`. Indonesian `ms`.
 * Serbian in Latin letters `hr`. Macedonian `bg` or `sr`. Nepali `hi` or `mr`.
 */
const WORDS: Readonly<Record<string, { readonly own: string; readonly others: string }>> = {
  es: {
    own: 'y las pero muy también está están hay qué quién cuando cuándo donde dónde más usted ellos nosotros soy eres cómo ahora algo hacer tiene',
    others:
      'non unha xa cando polo pola moi tamén dende sen aínda despois nin miña súa coa os á ao aos les nun enxamás ye nel xente mui tamién yá equí ensin facer fai foi dous outro outra eu ele isto iso meu as do da dos das na nas tán pas amb dins',
  },
  pt: {
    own: 'não uma um você vocês ela eles elas muito também são estão mas isso isto então mãe minha seu sua às pelo pela quando quem nós lhe tem temos fazer sem até já depois agora bem',
    others:
      'non unha unhas un xa xente cando á ós algún ningún moi máis tamén dende hai sen aquí aínda despois vostede facer nin miña súa túa coa coas cos ben',
  },
  ca: {
    own: 'els amb és ho què jo ell nosaltres però molt també als dels hem has seva meva teva aquest aquesta això quan res sóc són està estic vull fer us',
    others: 'lo los ieu ela nosautres mas fòrça tanben dins sèm aquò aqueste ont quand coma pas lei lis ei eth mès',
  },
  nl: {
    own: 'een ik jij je zij hij wij we niet naar zijn hebben heeft heb waren mij jouw jullie geen deze wordt worden zou zal kunnen moeten ben bent als',
    others: 'nie ek jy sy hy hulle die my vir sal hierdie sê baie geword kyk',
  },
  ms: {
    own: 'awak tak boleh kerana sahaja ialah bila apabila sekejap macam dekat nak hendak daripada encik cik puan cakap wang bahawa jumpa nampak semasa beritahu petang kereta pejabat polis kawan lelaki bercakap cuba mahu dahulu',
    others:
      'karena bisa kalian enggak nggak gak gue lu banget ayo uang kapan mobil kantor bahwa silakan mengapa pria sebentar mau bicara coba punya teman kenapa tapi anda kamu begitu kalau dulu mari pakai memakai mencoba',
  },
  hr: {
    own: 'gdje tko što netko vrijeme lijepo dijete uvijek prije poslije htio vidjeti vjerujem cijeli cijela cijelu bijeli svijet mjesto ovdje ondje riječ uopće željela želim tjedan vlak zrak kava riješiti dvije tijelo tisuća pjesma djeca uspjeli vjerojatno',
    others:
      'gde šta neko vreme lepo dete uvek pre posle voleo videti verujem ceo cela celu beli svet ovde onde reč uopšte želela nedelja vazduh rešiti dve telo hiljada pesma deca verovatno mleko svetlo peške hteo trebalo',
  },
  bg: {
    own: 'аз той тя ние съм са това този тази тези какво къде защо сега няма ще в как която които също след повече искам можеш',
    others:
      'јас тој таа тоа тие сум ова овој оваа овие каде зошто многу ќе во од како кој кои исто повеќе сакам веќе ништо дека',
  },
  sr: {
    own: 'он они сам је смо су ово овај шта где зашто сада ће у ко који које такође после пре хоћу нисам није ништа већ али са кад када њега њој',
    others:
      'јас тој таа тоа ние тие сум беше оваа овие каде зошто сега многу ќе во кој кои исто повеќе сакам веќе дека',
  },
  hi: {
    own: 'है हैं में का की से ने नहीं था थी थे हूँ हूं यह वह और मैं तुम क्या मुझे उसे कर रहा रही रहे लिए भी कोई कुछ बहुत क्यों',
    others:
      'छ छन् छैन छु छौं छौ होइन म तिमी तपाईं तपाईँ उनी उहाँ हामी यो त्यो र पनि अनि मलाई तिमीलाई उसलाई किन कसरी भयो भएको गर्न गरेको गर्ने हुन्छ थियो थिए भने लागि गर्नुहोस् हुनेछ सक्छ सकिएन सबै धेरै मेरो हाम्रो कुनै केही',
  },
  mr: {
    own: 'आहे आहेत आणि नाही नाहीत मी तू मला तुला त्याला तिला आम्ही तुम्ही काय कुठे कसे होता होती होते नको साठी करा केले झाले आपण माझा माझी तुझा त्या येथे असेल कधी खूप',
    others:
      'छ छन् छैन छु छौं छौ होइन म तिमी तपाईं तपाईँ उनी उहाँ हामी यो त्यो र पनि अनि मलाई तिमीलाई उसलाई किन कहाँ कसरी भयो भएको गर्न गरेको गर्ने हुन्छ थियो थिए भने लागि गर्नुहोस् हुनेछ सक्छ सकिएन सबै धेरै मेरो हाम्रो कुनै केही',
  },
};

/**
 * Letters that are in no word of a language, but in one that the identifier takes for it (Assamese; Kazakh, Kyrgyz, Mongolian,
 * Macedonian).
 */
const LETTERS: Readonly<Record<string, string>> = {
  bn: 'ৰৱ',
  ru: 'әғқңөұүһіјљњћђџѓќѕўєї',
  uk: 'әғқңөұүһјљњћђџѓќѕўёыэъ',
  be: 'әғқңөұүһјљњћђџѓќѕщъиєї',
  bg: 'әғқңөұүһіјљњћђџѓќѕўєїыэё',
  sr: 'әғқңөұүһіѓќѕўєїыэёщйъья',
};

/** The digest of both tables: what they say is a part of how languages are identified. */
export const NEAR_LANGUAGES_SHA256 = createHash('sha256')
  .update(JSON.stringify([WORDS, LETTERS]))
  .digest('hex');

const wordSet = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const NEAR = new Map(
  Object.entries(WORDS).map(([code, { own, others }]) => [code, { own: wordSet(own), others: wordSet(others) }]),
);

const WORD = /[\p{L}\p{M}]+/gu;

/**
 * True if texts with this code of the identifier are in its language, and not in one that it takes for it. They have more words
 * of the language than of the others. Always true for a language that no other is taken for.
 */
export function isNoNeighbor(texts: readonly string[], code: string): boolean {
  const near = NEAR.get(code);
  if (near === undefined) return true;
  let lead = 0;
  for (const text of texts) {
    for (const [word] of text.toLowerCase().matchAll(WORD)) {
      if (near.own.has(word)) lead += 1;
      else if (near.others.has(word)) lead -= 1;
    }
  }
  return lead > 0;
}

/** True if a text has a letter that the language does not write. */
export function hasForeignLetter(text: string, code: string): boolean {
  const letters = LETTERS[code];
  return letters !== undefined && [...text.toLowerCase()].some((letter) => letters.includes(letter));
}

export const LANGUAGE_RULE = {
  /** Shares of all letters from which a script alone decides; Japanese mixes its kana with Chinese characters. */
  hangulShare: 0.3,
  kanaShare: 0.1,
  /** The identifier reads no more than about this many bytes of one text, so a track is put to it in blocks. */
  blockBytes: 350,
} as const;

const LETTER = /\p{L}/gu;
const HANGUL = /\p{Script=Hangul}/gu;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** How many letters a text has, and how many of them belong to the scripts that decide. */
interface ScriptCounts {
  readonly letters: number;
  readonly hangul: number;
  readonly kana: number;
}

const occurrences = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Those of a text are the sums of those of its parts. */
export const scriptCounts = (text: string): ScriptCounts => ({
  letters: occurrences(text, LETTER),
  hangul: occurrences(text, HANGUL),
  kana: occurrences(text, KANA),
});

const sumOfCounts = (counts: readonly ScriptCounts[]): ScriptCounts =>
  counts.reduce(
    (sum, { letters, hangul, kana }) => ({
      letters: sum.letters + letters,
      hangul: sum.hangul + hangul,
      kana: sum.kana + kana,
    }),
    { letters: 0, hangul: 0, kana: 0 },
  );

/** The language that the script of a text alone proves: `ko`, `ja`, or null. */
export function languageOfScripts({ letters, hangul, kana }: ScriptCounts): 'ko' | 'ja' | null {
  if (letters === 0) return null;
  if (hangul / letters >= LANGUAGE_RULE.hangulShare) return 'ko';
  return kana / letters >= LANGUAGE_RULE.kanaShare ? 'ja' : null;
}

/** Joins short texts into blocks that an identifier reads whole; a longer text is a block of its own. */
export function languageBlocks(texts: readonly string[]): string[] {
  const blocks: string[] = [];
  for (const text of texts) {
    const joined = `${blocks.at(-1) ?? ''} ${text}`;
    if (blocks.length > 0 && Buffer.byteLength(joined, 'utf8') <= LANGUAGE_RULE.blockBytes)
      blocks.splice(-1, 1, joined);
    else blocks.push(text);
  }
  return blocks;
}

/**
 * The rule for answering an identified language. Measured in the odds of the identifier's mean score and in the pieces of text
 * (n-grams of four bytes) that it read. Found on translations of programs and on one half of `fixtures/languages`, and reported
 * on the other half (lab/docs/evaluation-results.md).
 */
export const LANGUAGE_CHOICE = {
  /** A text alone: the second language has at most this share of the odds of the first. Scripts that several languages share raise all. */
  aloneShare: 0.9,
  /** A block of a track is longer, so that near languages (Danish, Norwegian) are further apart in it. */
  blockShare: 0.87,
  /** The first language must lead the second by so much: odds times pieces. */
  lead: 5,
  /**
   * A cue keeps the language of its track if that has this share of the first one's odds. It also does if the first leads it by
   * less than this.
   */
  hintShare: 0.7,
  hintLead: 6,
  /** The share of a track's blocks that must agree, and of its texts that may have a letter which the language does not write. */
  agreeing: 0.5,
  foreignTexts: 0.1,
} as const;
const LATIN = /\p{Script=Latin}/gu;

const isMostlyLatin = (text: string): boolean => 2 * occurrences(text, LATIN) > occurrences(text, LETTER);

/** How many pieces of a text the identifier compares: of each different word its beginning and one every three bytes behind it. */
function piecesIn(text: string): number {
  const words = new Set(text.toLowerCase().match(WORD));
  let pieces = 0;
  for (const word of words) pieces += 1 + Math.max(0, Math.ceil((Buffer.byteLength(word, 'utf8') - 4) / 3));
  return pieces;
}

/** The first language, if the text covers it and it is far enough before the second. */
function clearFirst(text: string, { isCovered, odds }: IdentifierAnswer, share: number): string | null {
  const [first, second] = odds;
  if (!isCovered || first === undefined) return null;
  const [code, most] = first;
  const next = second?.[1] ?? 0;
  if (next > share * most && isMostlyLatin(text)) return null;
  return (most - next) * piecesIn(text) < LANGUAGE_CHOICE.lead ? null : code;
}

/** The language of a text without any context; null if it is not clear. */
function languageAlone(text: string, identified: IdentifierAnswer): string | null {
  const code = clearFirst(text, identified, LANGUAGE_CHOICE.aloneShare);
  if (code === null || hasForeignLetter(text, code)) return null;
  return isNoNeighbor([text], code) ? code : null;
}

/** The identified language of a track, and the one that it only resembles. */
interface TrackChoice {
  readonly code: string | null;
  readonly refused: string | null;
}

/** The language that more than half of all blocks of a track are clearly in. */
function languageOfBlocks(
  texts: readonly string[],
  blocks: readonly string[],
  identified: readonly IdentifierAnswer[],
): TrackChoice {
  const votes = new Map<string, number>();
  for (const [at, block] of blocks.entries()) {
    const found = identified[at];
    const code = found === undefined ? null : clearFirst(block, found, LANGUAGE_CHOICE.blockShare);
    if (code !== null) votes.set(code, (votes.get(code) ?? 0) + 1);
  }
  const [code] = [...votes].find(([, count]) => count > LANGUAGE_CHOICE.agreeing * blocks.length) ?? [null];
  if (code === null) return { code, refused: null };
  const foreign = texts.filter((text) => hasForeignLetter(text, code)).length;
  const isOther = foreign >= LANGUAGE_CHOICE.foreignTexts * texts.length && foreign > 0;
  return isOther || !isNoNeighbor(texts, code) ? { code: null, refused: code } : { code, refused: null };
}

/** The language of one cue of a track: that of the track, unless the cue is clearly in another. */
function languageOfCue(text: string, identified: IdentifierAnswer, { code, refused }: TrackChoice): string | null {
  const alone = languageAlone(text, identified);
  if (code === null) return alone === refused ? null : alone;
  const [first] = identified.odds;
  if (first === undefined) return null;
  const own = identified.odds.find(([each]) => each === code)?.[1] ?? 0;
  const isWeak = (first[1] - own) * piecesIn(text) < LANGUAGE_CHOICE.hintLead;
  if (own > 0 && (isWeak || own >= LANGUAGE_CHOICE.hintShare * first[1])) {
    return hasForeignLetter(text, code) ? null : code;
  }
  return isWeak ? null : alone;
}

// How many texts are looked at before the host does something else.
const TEXTS_AT_ONCE = 128;

async function countedScripts(texts: readonly string[]): Promise<ScriptCounts[]> {
  const counts: ScriptCounts[] = [];
  for (const text of texts) {
    counts.push(scriptCounts(text));
    if (counts.length % TEXTS_AT_ONCE === 0) await setImmediate();
  }
  return counts;
}

/**
 * The language of one track's texts. The script decides if it can, else the identifier if it is sure. The language of the track
 * is the hint for each cue; without one a cue has a language if it is sure by itself. Rejects with `ProcessFailure` or
 * `DetectionFailure`.
 */
export async function trackLanguageOf(
  detector: Pick<Detector, 'identify'>,
  track: { readonly index: number; readonly language: string | null },
  texts: readonly string[],
  signal: AbortSignal,
): Promise<TrackLanguageFact> {
  const counts = await countedScripts(texts);
  const script = languageOfScripts(sumOfCounts(counts));
  const byScript = counts.map(languageOfScripts);
  const open = texts.filter((_text, at) => byScript[at] === null);
  const blocks = script === null ? languageBlocks(texts) : [];
  const identified = open.length + blocks.length === 0 ? [] : await detector.identify([...blocks, ...open], signal);
  const choice: TrackChoice =
    script === null ? languageOfBlocks(texts, blocks, identified) : { code: script, refused: null };
  const rest = identified.slice(blocks.length).values();
  const codes: (string | null)[] = [];
  for (const [at, text] of texts.entries()) {
    const code = byScript[at] ?? null;
    const next = code === null ? rest.next().value : undefined;
    codes.push(next === undefined ? code : languageOfCue(text, next, choice));
    if (codes.length % TEXTS_AT_ONCE === 0) await setImmediate();
  }
  return {
    kind: 'track_language',
    trackIndex: track.index,
    taggedLanguage: track.language,
    code: choice.code,
    method: script !== null ? 'script' : choice.code === null ? 'none' : 'ngram',
    cueCodes: codes,
  };
}

/** The language of each text as it is identified from that text alone. Rejects as `trackLanguageOf`. */
export async function languagesOfTexts(
  detector: Pick<Detector, 'identify'>,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly (string | null)[]> {
  if (texts.length === 0) return [];
  return (await trackLanguageOf(detector, { index: 0, language: null }, texts, signal)).cueCodes;
}
