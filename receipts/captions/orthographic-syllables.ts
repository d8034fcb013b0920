// Ranges are written out: captions that are stored must not be divided in another way by a later version of Unicode.
const { raw } = String;

const lead = raw`[\u0E40-\u0E44\u0EC0-\u0EC4]`;
const consonant = raw`[\u0E01-\u0E2E\u0E81-\u0EAE\u0EDC-\u0EDF]`;
const mark = raw`[\u0E31\u0E34-\u0E3A\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECE]`;
const tone = raw`[\u0E48-\u0E4B\u0EC8-\u0ECB]?`;
const following = raw`[\u0E30\u0E32\u0E33\u0E45\u0EB0\u0EB2\u0EB3\u0EBD]`;

/** Two consonants that begin a syllable together: หมู, ไหม, ใกล้ and อยู่; of ไป only the first does. */
const onset = raw`(?:[\u0E2B\u0EAB][\u0E07\u0E0D\u0E13\u0E19\u0E21\u0E22\u0E23\u0E25\u0E27\u0E87\u0E8D\u0E99\u0EA1\u0EA3\u0EA5\u0EA7]|(?<=${lead})(?<!\u0E44(?=\u0E1B))[\u0E01\u0E02\u0E04\u0E15\u0E17\u0E1B\u0E1C\u0E1E][\u0E23\u0E25\u0E27]|\u0E2D\u0E22(?=${tone}[\u0E32\u0E39]))`;

/** The second consonant within a vowel of several signs: เปลี่ยน, เสร็จ, เฉพาะ and และ. */
const enclosed = raw`(?:(?<=[\u0E40\u0EC0]${consonant})${consonant}(?=[\u0E34\u0E35\u0E37\u0E47\u0EB1\u0EB4-\u0EB7\u0EBB]|${tone}[\u0E32\u0EB2])|(?<=${lead}${consonant})${consonant}(?=${tone}[\u0E30\u0EB0]))`;

/** After these signs the syllable goes on with a consonant: วัน, คืน, เดิน, เป็น and ຄົນ; the word ก็ ends with its sign. */
const open = raw`(?<=[\u0E31\u0E37\u0EB1\u0EBB]${tone}|\u0E40${consonant}{1,2}\u0E34${tone}|${lead}${consonant}{1,2}\u0E47|(?!\u0E01)${consonant}\u0E47)`;

/** Letters that end a vowel: เธอ, เลย, เสีย, ເມຍ and ເຮືອ. */
const glide = raw`(?:(?<=\u0E40${consonant}{1,2}\u0E35?${tone})[\u0E22\u0E2D]|(?<=\u0EC0${consonant}{1,2}${tone})\u0E8D|(?<=\u0EC0${consonant}{1,2}\u0EB7${tone})\u0EAD)(?!${mark})`;

const doubled = raw`\u0E23\u0E23(?!${mark}|${following})`;

/** Consonants that are written and not spoken: จันทร์ and สิทธิ์. */
const silent = raw`${consonant}{1,2}[\u0E34\u0E38]?[\u0E4C\u0ECC]`;

/** Lao letters that are vowels behind a consonant without another: ຂອງ and ສວນ. */
const laoVowel = raw`(?<=(?<!${lead})[\u0E81-\u0EAE\u0EDC\u0EDD]${tone})[\u0EAD\u0EA7](?!${mark}|${following})`;

/**
 * A last consonant without a sign of its own, where that is certain: in Thai before a vowel that is written before its
 * consonant, and at the end; elsewhere only a dictionary tells whether it begins the next syllable.
 */
const last = raw`(?:[\u0E01\u0E07\u0E14\u0E19\u0E1A\u0E21\u0E22\u0E23\u0E25\u0E27](?=[\u0E40-\u0E44])|[\u0E01-\u0E2E](?![\u0E01-\u0E2E\u0E30-\u0E3A\u0E40-\u0E45\u0E47-\u0E4E])|[\u0E81\u0E87\u0E8D\u0E94\u0E99\u0E9A\u0EA1\u0EA7](?![\u0EAD\u0EA7]|${mark}|${following}))`;

// Two of the signs before a consonant: some write แ as two of เ. More are no syllable, and a run of them would be looked at again from each.
const thaiOrLao = raw`${lead}{0,2}(?:${onset}|${consonant}${enclosed}?)${mark}*(?:${doubled})?(?:${open}${consonant}${mark}*|${glide}|${laoVowel})?(?:${following}|${mark})*(?:(?:${silent}(?:${following}|${mark})*)+|${last})?`;

const khmerLetter = raw`[\u1780-\u17B3]`;
const khmerMark = raw`[\u17B4-\u17D3\u17DD\u200C\u200D]`;
const khmerStack = raw`${khmerLetter}(?:${khmerMark}|(?<=\u17D2)${khmerLetter})*`;

/** A consonant with bantoc or toandakhiat ends the syllable before it: ចប់ and សប្ដាហ៍. */
const khmer = raw`${khmerStack}(?:(?=${khmerLetter}(?:\u17D2${khmerLetter})*[\u17CB\u17CD])${khmerStack})*`;

const burmeseLetter = raw`[\u1000-\u102A\u103F\u104E\u1050-\u1055\u105A-\u105D\u1061\u1065\u1066\u106E-\u1070\u1075-\u1081\u108E\uA9E0-\uA9E4\uA9E6-\uA9EF\uA9FA-\uA9FE\uAA60-\uAA7A\uAA7E\uAA7F]`;
const burmeseMark = raw`[\u102B-\u103E\u1056-\u1059\u105E-\u1060\u1062-\u1064\u1067-\u106D\u1071-\u1074\u1082-\u108D\u108F\u109A-\u109D\uA9E5\uAA7B-\uAA7D\u200C\u200D]`;
const burmeseStack = raw`${burmeseLetter}(?:${burmeseMark}|(?<=\u1039)${burmeseLetter})*`;

/** A consonant with asat, or one above another, ends the syllable before it: မြန်မာ, အင်္ဂလိပ် and ဗုဒ္ဓ. */
const burmese = raw`${burmeseStack}(?:(?=${burmeseLetter}\u1037?[\u103A\u1039])${burmeseStack})*`;

const digit = raw`[\u0E50-\u0E59\u0ED0-\u0ED9\u17E0-\u17E9\u1040-\u1049\u1090-\u1099]`;
const number = raw`${digit}+(?:[.,]${digit}+)*`;

/**
 * The pattern of one syllable of Thai, Lao, Khmer or Burmese as it is written, or of one number in the digits of these scripts.
 * Where a syllable of Thai or Lao ends is not always written; no sign of it is torn from the signs that it is written with.
 */
export const orthographicSyllable = `(?:${number}|${thaiOrLao}|${khmer}|${burmese})`;

/** A consonant of Thai, Lao or Khmer without a sign of its own; it may end a syllable, or be one with a vowel that is not written. */
export const loneConsonant = new RegExp(`^(?:${consonant}|[\\u1780-\\u17A2])(?![\\p{L}\\p{M}])`, 'u');

/** Signs of repetition and abbreviation, and the space without width, for a class of signs that stay with what is before them. */
export const syllableEnds = raw`\u0E2F\u0E46\u0EAF\u0EC6\u17D7\u200B`;
