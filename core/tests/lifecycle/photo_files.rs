//! Photos for tests: small files of real encoders, changed to be hostile, and a reader of their
//! structure.

/// A file of this folder's sibling `photos`.
macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../photos/", $name)).as_slice()
    };
}

pub(crate) const BASELINE: &[u8] = file!("baseline.jpg");
pub(crate) const PROGRESSIVE: &[u8] = file!("progressive.jpg");
pub(crate) const CMYK: &[u8] = file!("cmyk.jpg");
pub(crate) const RGB_PNG: &[u8] = file!("rgb.png");
pub(crate) const PALETTE_PNG: &[u8] = file!("palette.png");
pub(crate) const ALPHA_PNG: &[u8] = file!("alpha.png");
pub(crate) const LOSSY_WEBP: &[u8] = file!("lossy.webp");
pub(crate) const LOSSLESS_WEBP: &[u8] = file!("lossless.webp");
pub(crate) const ALPHA_WEBP: &[u8] = file!("alpha.webp");
pub(crate) const ANIMATED_GIF: &[u8] = file!("animated.gif");
pub(crate) const ANIMATED_PNG: &[u8] = file!("animated.png");
pub(crate) const ANIMATED_WEBP: &[u8] = file!("animated.webp");
/// With EXIF: the maker `Marcador`, an orientation, and a position in São Paulo.
pub(crate) const GPS_JPEG: &[u8] = file!("gps.jpg");
pub(crate) const GPS_PNG: &[u8] = file!("gps.png");
pub(crate) const GPS_WEBP: &[u8] = file!("gps.webp");

/// Still pictures with their media types.
pub(crate) const STILL: [(&[u8], &str); 12] = [
    (BASELINE, "image/jpeg"),
    (PROGRESSIVE, "image/jpeg"),
    (CMYK, "image/jpeg"),
    (GPS_JPEG, "image/jpeg"),
    (RGB_PNG, "image/png"),
    (PALETTE_PNG, "image/png"),
    (ALPHA_PNG, "image/png"),
    (GPS_PNG, "image/png"),
    (LOSSY_WEBP, "image/webp"),
    (LOSSLESS_WEBP, "image/webp"),
    (ALPHA_WEBP, "image/webp"),
    (GPS_WEBP, "image/webp"),
];

/// Returns a segment of a JPEG file.
pub(crate) fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len() + 2).unwrap().to_be_bytes();
    [&[0xFF, marker], &length[..], data].concat()
}

/// Returns a JPEG file with bytes after its start.
pub(crate) fn after_start(jpeg: &[u8], bytes: &[u8]) -> Vec<u8> {
    [&jpeg[..2], bytes, &jpeg[2..]].concat()
}

/// Returns a JPEG file with other dimensions in its header.
pub(crate) fn resized_jpeg(jpeg: &[u8], width: u16, height: u16) -> Vec<u8> {
    let frame = jpeg
        .windows(2)
        .position(|pair| matches!(pair, [0xFF, 0xC0..=0xC2]))
        .unwrap();
    let mut jpeg = jpeg.to_vec();
    jpeg[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
    jpeg[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
    jpeg
}

/// Returns a chunk of a PNG file.
pub(crate) fn png_chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
    let content = [kind, data].concat();
    let mut crc = u32::MAX;
    for byte in &content {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xEDB8_8320
            } else {
                crc >> 1
            };
        }
    }
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [&length[..], &content, &(!crc).to_be_bytes()].concat()
}

/// Returns a PNG file with a chunk after its header.
pub(crate) fn after_header(png: &[u8], chunk: &[u8]) -> Vec<u8> {
    [&png[..33], chunk, &png[33..]].concat()
}

/// Returns a PNG file of one chunk of data, with bytes after the compressed data in that chunk.
pub(crate) fn with_data_after_pixels(png: &[u8], bytes: &[u8]) -> Vec<u8> {
    let start = png.windows(4).position(|kind| kind == b"IDAT").unwrap();
    let end = start + 4 + u32::from_be_bytes(png[start - 4..start].try_into().unwrap()) as usize;
    let data = [&png[start + 4..end], bytes].concat();
    [
        &png[..start - 4],
        &png_chunk(b"IDAT", &data),
        &png[end + 4..],
    ]
    .concat()
}

/// Returns a PNG file with other dimensions in its header, whose checksum is correct.
pub(crate) fn resized_png(png: &[u8], width: u32, height: u32) -> Vec<u8> {
    let mut header = png[16..29].to_vec();
    header[..4].copy_from_slice(&width.to_be_bytes());
    header[4..8].copy_from_slice(&height.to_be_bytes());
    [&png[..8], &png_chunk(b"IHDR", &header), &png[33..]].concat()
}

/// Returns a chunk of a WebP file.
pub(crate) fn webp_chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap().to_le_bytes();
    let padding: &[u8] = if data.len() % 2 == 1 { &[0] } else { &[] };
    [kind, &length, data, padding].concat()
}

/// Returns a WebP file of these chunks.
pub(crate) fn webp(chunks: &[u8]) -> Vec<u8> {
    webp_chunk(b"RIFF", &[b"WEBP", chunks].concat())
}

/// Returns the names of the parts of a clean photo, and panics if a part is none that a decoder
/// needs.
pub(crate) fn parts(photo: &[u8]) -> Vec<String> {
    match photo {
        [0xFF, 0xD8, rest @ ..] => jpeg_parts(rest),
        [0x89, b'P', b'N', b'G', ..] => png_parts(&photo[8..]),
        [b'R', b'I', b'F', b'F', ..] => webp_parts(photo),
        _ => panic!("not a photo"),
    }
}

fn jpeg_parts(mut rest: &[u8]) -> Vec<String> {
    let mut parts = Vec::new();
    loop {
        assert_eq!(rest[0], 0xFF);
        let marker = rest[1];
        parts.push(format!("{marker:02X}"));
        if marker == 0xD9 {
            assert_eq!(rest.len(), 2, "nothing follows the end");
            return parts;
        }
        let length = usize::from(u16::from_be_bytes([rest[2], rest[3]]));
        let data = &rest[4..2 + length];
        match marker {
            0xE0 => assert_eq!(
                data,
                [b'J', b'F', b'I', b'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0],
                "without a thumbnail"
            ),
            0xEE => assert!(data.len() == 12 && data.starts_with(b"Adobe"), "{data:?}"),
            0xC0..=0xC2 | 0xC4 | 0xDA | 0xDB | 0xDD => {}
            other => panic!("marker {other:02X}"),
        }
        rest = &rest[2 + length..];
        if marker == 0xDA {
            let end = rest
                .windows(2)
                .position(|pair| pair[0] == 0xFF && !matches!(pair[1], 0 | 0xD0..=0xD7))
                .unwrap();
            rest = &rest[end..];
        }
    }
}

fn png_parts(mut rest: &[u8]) -> Vec<String> {
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let length = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
        let kind = String::from_utf8(rest[4..8].to_vec()).unwrap();
        assert!(
            ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"].contains(&kind.as_str()),
            "{kind}"
        );
        assert_eq!(
            rest[..12 + length],
            png_chunk(kind.as_bytes(), &rest[8..8 + length])
        );
        parts.push(kind);
        rest = &rest[12 + length..];
    }
    parts
}

fn webp_parts(photo: &[u8]) -> Vec<String> {
    assert_eq!(
        u32::from_le_bytes(photo[4..8].try_into().unwrap()) as usize,
        photo.len() - 8
    );
    let (mut rest, mut parts) = (&photo[12..], Vec::new());
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest[4..8].try_into().unwrap()) as usize;
        let kind = String::from_utf8(rest[..4].to_vec()).unwrap();
        match kind.as_str() {
            "VP8X" => assert_eq!(rest[8..12], [0x10, 0, 0, 0], "transparency only"),
            "ALPH" | "VP8 " | "VP8L" => {}
            other => panic!("chunk {other}"),
        }
        parts.push(kind);
        rest = &rest[8 + length.next_multiple_of(2)..];
    }
    parts
}
