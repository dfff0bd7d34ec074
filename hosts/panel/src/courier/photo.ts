/** Photos of a proof, scaled before they are stored. Drawing on a canvas also removes the metadata, such as the position. */

import { writePhoto } from "./storage";

const MAX_PIXELS = 1280;
const QUALITY = 0.8;

/** Scales and stores a photo. Returns its key and a URL for a preview, which the caller must revoke. */
export async function addPhoto(orderId: number, file: File): Promise<{ key: string; url: string }> {
  const image = await createImageBitmap(file, { imageOrientation: "from-image" });
  const scale = Math.min(1, MAX_PIXELS / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("no canvas");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  const blob = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, "image/jpeg", QUALITY),
  );
  if (blob === null) throw new Error("no photo");
  const key = crypto.randomUUID();
  await writePhoto({ key, orderId, blob, photoId: null });
  return { key, url: URL.createObjectURL(blob) };
}
