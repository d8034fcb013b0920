import { captionsContract } from '../http/captions-contract.ts';

captionsContract('node');
