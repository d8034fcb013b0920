// What players read as a tag, as an override or a break of ASS, and as a character reference.
const markup = /<(?=\/?\p{L})|\{(?=\\)|\\(?=[Nnh])|&(?=#?\w+;)/gu;

/**
 * A text as SubRip has it. The format has no escapes, and players hide what looks like markup: a word joiner behind the first sign
 * takes its meaning away. An arrow would begin a cue.
 */
export const subRipText = (text: string): string => text.replaceAll('-->', '→').replaceAll(markup, '$&\u2060');
