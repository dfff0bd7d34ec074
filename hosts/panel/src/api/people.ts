/** The API's JSON for recipients' pages and proofs. */

export type Choice = "DOORMAN" | "NEIGHBOUR" | "AT_DOOR" | "CALL_STORE";
export type NotifyAt = "CREATED" | "PICKED_UP" | "EN_ROUTE";
export type ProofStep = "PICKUP" | "DELIVERY" | "FAILURE" | "RETURN";
export type ProofPart = "PHOTO" | "NAME" | "NOTE" | "POSITION";

export interface TrackedDelivery {
  trackingUrl: string | null;
  recipientChoice: Choice | null;
  rating: { stars: number; text: string | null; ratedAt: string } | null;
}

export interface TrackingPolicy {
  enabled: boolean;
  contact: { name: string | null; phone: string | null; text: string | null };
  choices: Choice[];
  notifyAt: NotifyAt[];
}

export interface ProofRule {
  step: ProofStep;
  reason: string | null;
  requires: ProofPart[];
}

export interface ProofPolicy {
  rules: ProofRule[];
}

export interface Proof {
  sequence: number;
  step: ProofStep;
  deliveryId: number | null;
  createdAt: string;
  photos: { photoId: number; sha256: string; bytes: number; contentType: string }[];
  receivedBy: string | null;
  note: string | null;
  latitude: number | null;
  longitude: number | null;
  erased: boolean;
}
