//! Hostile photos: each gets its response, and none keeps metadata.

use std::collections::BTreeMap;

use bytes::Bytes;
use despacho_core::{
    api,
    host::Storage,
    memory::MemoryHost,
    model::{PhotoId, order::PhotoFormat},
    rules::photos,
};
use http::Request;
use serde_json::{Value, json};

use crate::{
    photo_files::{self as files, *},
    support::{COURIER, block_on, create_allocated_order, host, order, settings},
};

const MUTATIONS: u32 = 30_000;

/// The name of a case, the body, its media type, and the expected status and problem code.
type Sent = (&'static str, Vec<u8>, &'static str, (u16, &'static str));

/// A host with an order that the courier carries.
struct Service {
    host: MemoryHost,
    order: u64,
}

impl Service {
    fn start() -> Service {
        let host = host();
        let order = create_allocated_order(&host, "P-1", &[true]).id.get();
        Service { host, order }
    }

    fn upload(&self, photo: &[u8], media: &str) -> (u16, Value) {
        let request = Request::post(format!("/courier/orders/{}/photos", self.order));
        let request = request
            .header("x-api-token", COURIER)
            .header("content-type", media);
        let request = request.body(Bytes::copy_from_slice(photo)).unwrap();
        let response = block_on(api::handle(&self.host, &settings(), request));
        (
            response.status().as_u16(),
            serde_json::from_slice(response.body()).unwrap(),
        )
    }

    /// Uploads a photo and returns the stored file.
    fn stored(&self, photo: &[u8], media: &str) -> Bytes {
        let (status, body) = self.upload(photo, media);
        assert_eq!(
            (status, &body["contentType"]),
            (201, &json!(media)),
            "{body}"
        );
        let id = PhotoId::new(body["photoId"].as_u64().unwrap()).unwrap();
        let blob = block_on(self.host.blob(id)).unwrap().unwrap();
        assert_eq!(body["bytes"], json!(blob.bytes.len()));
        blob.bytes
    }
}

/// A generator of pseudorandom numbers (SplitMix64).
struct Rng(u64);

impl Rng {
    /// Returns a number below `max`, which must not be zero.
    fn below(&mut self, max: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % max as u64).unwrap()
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Returns a photo of 50 MB.
fn large() -> Vec<u8> {
    after_start(BASELINE, &segment(0xFE, &[b'x'; 65_000]).repeat(800))
}

/// Returns the name, the bytes, the media type, and the status and code of the response, of each
/// rejected photo.
fn rejected() -> Vec<(&'static str, Vec<u8>, &'static str, u16, &'static str)> {
    const JPEG: &str = "image/jpeg";
    const PNG: &str = "image/png";
    const WEBP: &str = "image/webp";
    const INVALID: (u16, &str) = (422, "photo_invalid");
    const TYPE: (u16, &str) = (415, "unsupported_media_type");
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>".to_vec();
    let scan = BASELINE
        .windows(2)
        .position(|pair| pair == [0xFF, 0xDA])
        .unwrap();
    let frame = BASELINE
        .windows(2)
        .position(|pair| matches!(pair, [0xFF, 0xC0]))
        .unwrap();
    let mut no_key_frame = LOSSY_WEBP.to_vec();
    no_key_frame[20] |= 1;
    let mut wrong_checksum = RGB_PNG.to_vec();
    wrong_checksum[29] ^= 1;
    let huge_canvas = webp(
        &[
            webp_chunk(b"VP8X", &[0, 0, 0, 0, 255, 255, 255, 255, 255, 255]),
            LOSSY_WEBP[12..].to_vec(),
        ]
        .concat(),
    );
    let end = [0xFF, 0xD9];
    let lossless_version = {
        let mut bytes = LOSSLESS_WEBP.to_vec();
        bytes[24] |= 0xE0;
        bytes
    };
    let photos: Vec<Sent> = vec![
        ("empty body", vec![], JPEG, INVALID),
        ("50 MB", large(), JPEG, (413, "body_too_large")),
        (
            "one byte too many",
            vec![0; 1_048_577],
            JPEG,
            (413, "body_too_large"),
        ),
        ("svg with a script", svg.clone(), "image/svg+xml", TYPE),
        ("svg as png", svg, PNG, INVALID),
        ("gif", ANIMATED_GIF.to_vec(), "image/gif", TYPE),
        ("gif as jpeg", ANIMATED_GIF.to_vec(), JPEG, INVALID),
        ("text as jpeg", b"just text".to_vec(), JPEG, INVALID),
        (
            "html as jpeg",
            b"<html><script>alert(1)</script>".to_vec(),
            JPEG,
            INVALID,
        ),
        ("json", b"{}".to_vec(), "application/json", TYPE),
        ("no media type", BASELINE.to_vec(), "", TYPE),
        (
            "pdf as jpeg",
            b"%PDF-1.7\n%\xE2\xE3\xCF\xD3".to_vec(),
            JPEG,
            INVALID,
        ),
        (
            "zip as webp",
            b"PK\x03\x04 RIFF WEBP".to_vec(),
            WEBP,
            INVALID,
        ),
        (
            "program as png",
            b"\x7FELF\x02\x01\x01\0\0\0\0\0".to_vec(),
            PNG,
            INVALID,
        ),
        ("jpeg as png", BASELINE.to_vec(), PNG, INVALID),
        ("webp as jpeg", LOSSY_WEBP.to_vec(), JPEG, INVALID),
        (
            "signature of jpeg only",
            vec![0xFF, 0xD8, 0xFF],
            JPEG,
            INVALID,
        ),
        ("signature of png only", RGB_PNG[..8].to_vec(), PNG, INVALID),
        (
            "signature of webp only",
            b"RIFF\x04\0\0\0WEBP".to_vec(),
            WEBP,
            INVALID,
        ),
        (
            "jpeg without its end",
            BASELINE[..BASELINE.len() - 2].to_vec(),
            JPEG,
            INVALID,
        ),
        (
            "jpeg without data",
            [&BASELINE[..scan], &end[..]].concat(),
            JPEG,
            INVALID,
        ),
        (
            "jpeg with two frames",
            [
                &BASELINE[..frame],
                &BASELINE[frame..frame + 19],
                &BASELINE[frame..],
            ]
            .concat(),
            JPEG,
            INVALID,
        ),
        (
            "jpeg with thousands of scans",
            many_scans(scan),
            JPEG,
            INVALID,
        ),
        (
            "jpeg with a segment beyond the end",
            after_start(BASELINE, &[0xFF, 0xE1, 0xFF, 0xFF]),
            JPEG,
            INVALID,
        ),
        (
            "jpeg with a segment of length 0",
            after_start(BASELINE, &[0xFF, 0xE1, 0, 0]),
            JPEG,
            INVALID,
        ),
        (
            "jpeg of 65535 × 65535 pixels",
            resized_jpeg(BASELINE, 65_535, 65_535),
            JPEG,
            INVALID,
        ),
        (
            "jpeg of 8000 × 8000 pixels",
            resized_jpeg(BASELINE, 8_000, 8_000),
            JPEG,
            INVALID,
        ),
        (
            "jpeg without height",
            resized_jpeg(BASELINE, 24, 0),
            JPEG,
            INVALID,
        ),
        (
            "png of 2³¹ pixels per side",
            resized_png(RGB_PNG, 1 << 31, 1 << 31),
            PNG,
            INVALID,
        ),
        (
            "png of 8193 × 1 pixels",
            resized_png(RGB_PNG, 8_193, 1),
            PNG,
            INVALID,
        ),
        (
            "png without width",
            resized_png(RGB_PNG, 0, 16),
            PNG,
            INVALID,
        ),
        ("png with a wrong checksum", wrong_checksum, PNG, INVALID),
        (
            "png without its end",
            RGB_PNG[..RGB_PNG.len() - 12].to_vec(),
            PNG,
            INVALID,
        ),
        (
            "png with more rows than its height",
            resized_png(RGB_PNG, 24, 15),
            PNG,
            INVALID,
        ),
        (
            "png with fewer rows than its height",
            resized_png(RGB_PNG, 24, 17),
            PNG,
            INVALID,
        ),
        (
            "png with an unknown critical chunk",
            after_header(RGB_PNG, &png_chunk(b"EVIL", b"x")),
            PNG,
            INVALID,
        ),
        (
            "png with a chunk of 4 GB",
            after_header(RGB_PNG, b"\xFF\xFF\xFF\xFFIDAT"),
            PNG,
            INVALID,
        ),
        ("animated png", ANIMATED_PNG.to_vec(), PNG, INVALID),
        ("animated webp", ANIMATED_WEBP.to_vec(), WEBP, INVALID),
        ("webp with a huge canvas", huge_canvas, WEBP, INVALID),
        ("webp without a key frame", no_key_frame, WEBP, INVALID),
        (
            "webp of an unknown version",
            lossless_version,
            WEBP,
            INVALID,
        ),
        (
            "truncated webp",
            LOSSY_WEBP[..LOSSY_WEBP.len() - 9].to_vec(),
            WEBP,
            INVALID,
        ),
    ];
    photos
        .into_iter()
        .map(|(name, bytes, media, (status, code))| (name, bytes, media, status, code))
        .collect()
}

fn many_scans(scan: usize) -> Vec<u8> {
    let (head, scan) = BASELINE.split_at(scan);
    let once = &scan[..scan.len() - 2];
    [head, &once.repeat(2_000), &[0xFF, 0xD9]].concat()
}

#[test]
fn hostile_photos_get_their_responses_and_are_not_stored() {
    let service = Service::start();
    let photos = rejected();
    assert!(photos.len() >= 30, "{}", photos.len());
    let mut details = BTreeMap::new();
    for (name, photo, media, status, code) in photos {
        let (found, body) = service.upload(&photo, media);
        assert_eq!(
            (found, body["code"].as_str()),
            (status, Some(code)),
            "{name}: {body}"
        );
        details.insert(name, body["detail"].as_str().unwrap().to_owned());
    }
    for (name, detail) in [
        (
            "empty body",
            "The body is empty. Send the photo as the body.",
        ),
        ("svg as png", "The body is not a JPEG, PNG or WebP file."),
        (
            "jpeg as png",
            "The body is image/jpeg, and the header content-type is image/png. Send the type of the file.",
        ),
        (
            "jpeg without its end",
            "The photo is incomplete or damaged. Send it again.",
        ),
        (
            "jpeg of 65535 × 65535 pixels",
            "The photo has 65535 × 65535 pixels. Send at most 8192 per side and 33554432 in total.",
        ),
        (
            "jpeg of 8000 × 8000 pixels",
            "The photo has 8000 × 8000 pixels. Send at most 8192 per side and 33554432 in total.",
        ),
        ("png without width", "The photo has no pixels."),
        (
            "animated webp",
            "The photo is an animation. Send a still picture.",
        ),
        (
            "50 MB",
            "The request body is too large. Send at most 1048576 bytes.",
        ),
    ] {
        assert_eq!(details[name], detail, "{name}");
    }
    assert!(order(&service.host, service.order).proof.photos.is_empty());
}

#[test]
fn metadata_and_other_files_are_removed() {
    let exif = [b"Exif\0\0".as_slice(), b"MM\0* Marcador 23.55 S"].concat();
    let xmp = b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>Marcador</x:xmpmeta>";
    let hidden = b"<script>Marcador</script>PK\x03\x04 Marcador";
    let thumbnail = [
        b"JFIF\0\x01\x02\0\0H\0H\x02\x02".as_slice(),
        b"Marcador-abc",
    ]
    .concat();
    let jpeg = |marker, data: &[u8]| after_start(BASELINE, &segment(marker, data));
    let png = |kind: &[u8], data: &[u8]| after_header(RGB_PNG, &png_chunk(kind, data));
    let webp_with =
        |kind: &[u8]| webp(&[&LOSSY_WEBP[12..], &webp_chunk(kind, b"Marcador")].concat());
    let (end, scan) = (
        BASELINE.len() - 2,
        BASELINE
            .windows(2)
            .position(|pair| pair == [0xFF, 0xDA])
            .unwrap(),
    );
    let photos: [(&str, Vec<u8>, &str); 22] = [
        ("jpeg of a camera", GPS_JPEG.to_vec(), "image/jpeg"),
        ("png of a camera", GPS_PNG.to_vec(), "image/png"),
        ("webp of a camera", GPS_WEBP.to_vec(), "image/webp"),
        ("EXIF", jpeg(0xE1, &exif), "image/jpeg"),
        ("XMP", jpeg(0xE1, xmp), "image/jpeg"),
        (
            "colour profile",
            jpeg(0xE2, b"ICC_PROFILE\0\x01\x01Marcador"),
            "image/jpeg",
        ),
        (
            "IPTC",
            jpeg(0xED, b"Photoshop 3.0\08BIM Marcador"),
            "image/jpeg",
        ),
        ("comment", jpeg(0xFE, b"Marcador"), "image/jpeg"),
        ("thumbnail", jpeg(0xE0, &thumbnail), "image/jpeg"),
        (
            "Adobe segment",
            jpeg(0xEE, b"Adobe\0d\0\0\0\0\x01 Marcador"),
            "image/jpeg",
        ),
        (
            "EXIF after fill bytes",
            after_start(
                BASELINE,
                &[&[0xFF, 0xFF], &segment(0xE1, &exif)[..]].concat(),
            ),
            "image/jpeg",
        ),
        (
            "EXIF before the scan",
            [&BASELINE[..scan], &segment(0xE1, &exif), &BASELINE[scan..]].concat(),
            "image/jpeg",
        ),
        (
            "EXIF after the scan",
            [&BASELINE[..end], &segment(0xE1, &exif), &BASELINE[end..]].concat(),
            "image/jpeg",
        ),
        (
            "page after the end",
            [BASELINE, hidden].concat(),
            "image/jpeg",
        ),
        (
            "second picture",
            [BASELINE, GPS_JPEG].concat(),
            "image/jpeg",
        ),
        (
            "png with EXIF",
            png(b"eXIf", b"MM\0* Marcador"),
            "image/png",
        ),
        (
            "png with text",
            png(b"tEXt", b"Comment\0Marcador"),
            "image/png",
        ),
        (
            "png with XMP",
            png(b"iTXt", b"XML:com.adobe.xmp\0Marcador"),
            "image/png",
        ),
        (
            "archive after the end",
            [RGB_PNG, hidden].concat(),
            "image/png",
        ),
        (
            "archive behind the compressed data",
            with_data_after_pixels(RGB_PNG, hidden),
            "image/png",
        ),
        ("webp with XMP", webp_with(b"XMP "), "image/webp"),
        (
            "archive after the container",
            [LOSSY_WEBP, hidden].concat(),
            "image/webp",
        ),
    ];
    for (name, photo, media) in photos {
        assert!(contains(&photo, b"Marcador"), "{name}");
        let stored = Service::start().stored(&photo, media);
        assert!(
            !contains(&stored, b"Marcador")
                && !contains(&stored, b"Exif")
                && !contains(&stored, b"xmp"),
            "{name}"
        );
        files::parts(&stored);
        let plain = match media {
            "image/jpeg" => BASELINE,
            "image/png" => RGB_PNG,
            _ => LOSSY_WEBP,
        };
        let format = PhotoFormat::parse(media).unwrap();
        let (width, height) = photos::clean(plain, format)
            .map(|photo| (photo.width, photo.height))
            .unwrap();
        let again = photos::clean(&stored, format).unwrap();
        assert_eq!(
            (again.width, again.height, again.bytes.as_slice()),
            (width, height, &stored[..]),
            "{name}"
        );
    }
}

#[test]
fn photos_of_real_encoders_keep_their_pictures() {
    let expected = [
        "E0 DB DB C0 C4 C4 C4 C4 DA D9",
        "E0 DB DB C2 C4 C4 DA C4 DA C4 DA C4 DA C4 DA C4 DA DA C4 DA C4 DA C4 DA D9",
        "EE DB C0 C4 C4 DA D9",
        "E0 DB DB C0 C4 C4 C4 C4 DA D9",
        "IHDR IDAT IEND",
        "IHDR PLTE IDAT IEND",
        "IHDR IDAT IEND",
        "IHDR IDAT IEND",
        "VP8 ",
        "VP8L",
        "VP8X ALPH VP8 ",
        "VP8 ",
    ];
    let service = Service::start();
    for ((photo, media), expected) in STILL.into_iter().zip(expected) {
        assert_eq!(
            files::parts(&service.stored(photo, media)).join(" "),
            expected,
            "{media}"
        );
    }
    // The picture itself is copied byte by byte.
    let scan = |jpeg: &[u8]| {
        let start = jpeg
            .windows(2)
            .position(|pair| pair == [0xFF, 0xDA])
            .unwrap();
        jpeg[start..].to_vec()
    };
    assert_eq!(
        scan(&photos::clean(GPS_JPEG, PhotoFormat::Jpeg).unwrap().bytes),
        scan(BASELINE)
    );
    assert_eq!(
        photos::clean(GPS_PNG, PhotoFormat::Png).unwrap().bytes,
        RGB_PNG
    );
    assert_eq!(
        photos::clean(GPS_WEBP, PhotoFormat::Webp).unwrap().bytes,
        LOSSY_WEBP
    );
}

#[test]
fn mutated_photos_never_keep_metadata() {
    let mut rng = Rng(20_261_123);
    let exif = segment(0xE1, b"Exif\0\0MM\0* Marcador");
    let seeds: Vec<(Vec<u8>, PhotoFormat)> = STILL
        .into_iter()
        .chain([(ANIMATED_PNG, "image/png"), (ANIMATED_WEBP, "image/webp")])
        .map(|(photo, media)| (photo.to_vec(), PhotoFormat::parse(media).unwrap()))
        .chain([(after_start(PROGRESSIVE, &exif), PhotoFormat::Jpeg)])
        .collect();
    let (mut accepted, mut rejected) = (0, 0);
    for number in 0..MUTATIONS {
        let (seed, format) = &seeds[rng.below(seeds.len())];
        let photo = mutated(seed, &seeds, &mut rng);
        match photos::clean(&photo, *format) {
            Ok(clean) => {
                accepted += 1;
                files::parts(&clean.bytes);
                let again = photos::clean(&clean.bytes, *format);
                assert_eq!(
                    again.as_ref(),
                    Ok(&clean),
                    "mutation {number}: a clean photo stays as it is"
                );
                assert!(clean.width > 0 && clean.height > 0 && clean.width <= photos::MAX_SIDE);
            }
            Err(_) => rejected += 1,
        }
    }
    assert!(
        accepted > MUTATIONS / 20 && rejected > MUTATIONS / 20,
        "{accepted} accepted, {rejected} rejected"
    );
}

/// Returns a photo with one to four changes: other bytes, a removed or repeated part, a part of
/// another photo, another length. Checksums of PNG chunks are corrected half of the time, because
/// otherwise nearly every change would be detected by them.
fn mutated(seed: &[u8], seeds: &[(Vec<u8>, PhotoFormat)], rng: &mut Rng) -> Vec<u8> {
    let mut photo = seed.to_vec();
    for _ in 0..=rng.below(4) {
        if photo.is_empty() {
            break;
        }
        let (at, length) = (rng.below(photo.len()), rng.below(24));
        let end = (at + length).min(photo.len());
        match rng.below(8) {
            0 | 1 => photo[at] = u8::try_from(rng.below(256)).unwrap(),
            2 => photo[at] ^= 1 << rng.below(8),
            3 => photo.truncate(at),
            4 => drop(photo.drain(at..end)),
            5 => {
                let part = photo[at..end].to_vec();
                photo.splice(at..at, part);
            }
            6 => {
                let (other, _) = &seeds[rng.below(seeds.len())];
                let start = rng.below(other.len());
                photo.splice(
                    at..at,
                    other[start..(start + 64).min(other.len())].iter().copied(),
                );
            }
            _ => photo[at] = [0, 1, 0x7F, 0x80, 0xD8, 0xD9, 0xDA, 0xE1, 0xFE, 0xFF][rng.below(10)],
        }
    }
    if rng.below(2) == 0 {
        with_checksums(photo)
    } else {
        photo
    }
}

fn with_checksums(photo: Vec<u8>) -> Vec<u8> {
    if !photo.starts_with(b"\x89PNG\r\n\x1a\n") {
        return photo;
    }
    let (mut fixed, mut rest) = (photo[..8].to_vec(), &photo[8..]);
    while let Some(head) = rest.get(..8) {
        let length = u32::from_be_bytes(head[..4].try_into().unwrap()) as usize;
        let Some(data) = rest.get(8..8 + length) else {
            break;
        };
        fixed.extend(png_chunk(&head[4..8], data));
        rest = rest.get(12 + length..).unwrap_or_default();
    }
    fixed.extend_from_slice(rest);
    fixed
}
