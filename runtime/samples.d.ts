/** A recorded body, of a caller's request or of a serving version's response. */
export interface Sample {
  direction: 'request' | 'response';
  status?: number;
  body: unknown;
}

/** What is run: samples between the version that callers speak and the one that serves. */
export interface Job {
  versions: string[];
  pairs: { from: string; to: string; request?: string; response?: string }[];
  from: string;
  to: string;
  /** The folder of the transformers; the usual one unless set. */
  folder?: string;
  samples: Sample[];
}

/** Returns, for each sample, what the chain makes of it or why it fails. */
export function runSamples(job: Job): Promise<({ body: unknown; status: number } | { error: string })[]>;
