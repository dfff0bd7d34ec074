//! Builds a small gazetteer pack from rows in the format of the address register.

use std::{error::Error, fs, path::Path};

/// Writes a pack with the even numbers 2 to 400 of one street in São Paulo.
pub(crate) fn write(path: &Path) -> Result<(), Box<dyn Error>> {
    let mut rows = String::from("COD_UNICO_ENDERECO;COD_UF;COD_MUNICIPIO\n");
    for number in (2..=400).step_by(2) {
        let latitude = -23.5500 - f64::from(number) * 0.000_01;
        let columns =
            "1;35;3550308;355030805;35503080500;355030805000001P;1;1;01304001;;RUA;;AUGUSTA";
        rows.push_str(&format!(
            "{columns};{number};;;;;;;;;;;;{latitude};-46.65;1;1;;1;1;1;1\r\n"
        ));
    }
    let csv_path = path.with_extension("csv");
    fs::write(&csv_path, rows)?;
    despacho_geo::gazetteer::build(std::slice::from_ref(&csv_path), path, &mut |_| ())?;
    Ok(fs::remove_file(csv_path)?)
}
