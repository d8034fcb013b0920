/**
 * The languages of Whisper whose codes differ from ours, from ours to its own: `LANGUAGES` in `tokenizer.py` of openai/whisper. It has one
 * code for both Norwegian `no` and Bokmål, the code of Tagalog for Filipino, and the withdrawn code of Javanese.
 */
const whisperCodes: ReadonlyMap<string, string> = new Map(Object.entries({ nb: 'no', fil: 'tl', jv: 'jw' }));

/** The code of Whisper for a base code of ours. Its answers need no way back: `baseLanguage` makes `jv` of `jw`. */
export const whisperCodeOf = (code: string): string => whisperCodes.get(code) ?? code;
