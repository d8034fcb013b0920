/** The request of a person who studies the beginning of the sample, or of other media in Korean. */
export const studyUntil = <Depth extends 'captions' | 'evidence'>(endMs: number, outputDepth: Depth) =>
  ({
    range: { startMs: 0, endMs },
    requestedSourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
    targetLanguage: 'en',
    outputDepth,
  }) as const;
