/** Does something each time that it is called, and not while what it began before is under way. */
export function oneAtATime(act: () => unknown): () => Promise<void> {
  let isUnderWay = false;
  return async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      await act();
    } finally {
      isUnderWay = false;
    }
  };
}
